"""By which mechanism does prefill slow decode?"""

from __future__ import annotations

from census.model.census import Census
from census.model.estimate import Absent, Estimate
from census.model.findings import Mechanism, Rival
from census.render import numbers
from census.render.names import VERDICTS, mechanism_name
from census.render.numbers import BARE, MILLISECONDS, PERCENT
from census.render.page import Block, Remark, Section, Table, number_columns, word_columns
from census.render.prose import Bold, Prose, prose, sentence
from census.render.reasons import Reasons
from census.render.sections.parts import absent_section, caveats_touching

ID = "mechanism"
QUESTION = "By which mechanism does prefill slow decode?"


def build(census: Census) -> Section:
    """Return the section: the verdict, then each rival with its prediction and what was seen."""
    finding = census.findings.mechanism
    caveats = caveats_touching(census, ID)
    if isinstance(finding, Absent):
        return absent_section(ID, QUESTION, finding, caveats)
    remarks = tuple(Remark(text=text) for text in _remarks(finding))
    blocks: tuple[Block, ...] = (_table(finding), *remarks)
    answer = (*verdict(finding), f" {sentence(finding.reason)}".rstrip(), " ", *closest(finding))
    return Section(id=ID, question=QUESTION, answer=tuple(answer), blocks=blocks, caveats=caveats)


def verdict(finding: Mechanism | Absent) -> Prose:
    """Return the verdict as a sentence."""
    if isinstance(finding, Absent):
        return prose(Bold("No verdict."), f" {sentence(finding.reason)}")
    said = VERDICTS.get(finding.verdict, sentence(mechanism_name(finding.verdict)))
    return prose(Bold(said))


def closest(finding: Mechanism | Absent) -> Prose:
    """Return the rival that came closest, and why it was not named."""
    if isinstance(finding, Absent) or finding.closest is None:
        return ()
    rival = next((rival for rival in finding.rivals if rival.id == finding.closest), None)
    name = mechanism_name(finding.closest)
    if rival is None:
        return prose(f"The rival that came closest: {name}.")
    if isinstance(rival.share_of_loss, Estimate):
        share = numbers.full(rival.share_of_loss, PERCENT)
        return prose(f"The rival that came closest: {name}, which would explain {share} of the loss.")
    return prose(f"The rival that came closest: {name}; observed: {sentence(rival.observed)}")


def _table(finding: Mechanism) -> Table:
    reasons = Reasons()
    return Table(
        caption="Rivals: each with what it predicts and what was observed",
        columns=(
            *word_columns("rival", "predicts", "observed", "holds"),
            *number_columns("share of the loss"),
        ),
        rows=tuple(_row(rival, finding.verdict, reasons) for rival in finding.rivals),
        notes=reasons.notes(),
    )


def _row(rival: Rival, named: str, reasons: Reasons) -> tuple[Prose, ...]:
    name = mechanism_name(rival.id)
    return (
        prose(Bold(name) if rival.id == named else name),
        prose(rival.prediction),
        prose(rival.observed),
        prose({True: "holds", False: "fails", None: "cannot tell"}[rival.holds]),
        reasons.cell(rival.share_of_loss, PERCENT),
    )


def _remarks(finding: Mechanism) -> tuple[Prose, ...]:
    said = []
    ratio = finding.predicted_over_measured
    if isinstance(ratio, Estimate):
        said.append(
            prose(
                f"Loss predicted from the two step costs over loss measured: {numbers.full(ratio, BARE)} "
                f"({ratio.method})."
            )
        )
    given_rows = finding.decode_step_given_rows
    if isinstance(given_rows, Estimate):
        unit = MILLISECONDS if given_rows.unit == "s" else PERCENT if given_rows.unit == "1" else BARE
        said.append(
            prose(f"Decode-only step given rows: {numbers.full(given_rows, unit)} ({given_rows.method}).")
        )
    if finding.would_settle.strip():
        said.append(prose(Bold("What would settle it: "), sentence(finding.would_settle)))
    return tuple(said)
