"""Where did the lost decode time go?"""

from __future__ import annotations

from census.model.census import Census
from census.model.estimate import Absent, Estimate, value_of
from census.model.findings import Attribution
from census.render import numbers
from census.render.names import attribution_name
from census.render.numbers import PERCENT
from census.render.page import Block, Section, Table, number_columns, word_columns
from census.render.prose import Bar, Bold, Prose, prose, sentence
from census.render.reasons import Reasons
from census.render.sections.parts import absent_section, caveats_touching

ID = "attribution"
QUESTION = "Where did the lost decode time go?"


def build(census: Census) -> Section:
    """Return the section: the parts of the loss; they sum to the whole of it."""
    finding = census.attribution
    caveats = caveats_touching(census, ID)
    if isinstance(finding, Absent):
        return absent_section(ID, QUESTION, finding, caveats)
    blocks: tuple[Block, ...] = (_table(finding),)
    return Section(id=ID, question=QUESTION, answer=_answer(finding), blocks=blocks, caveats=caveats)


def _answer(finding: Attribution) -> Prose:
    lost = finding.lost_share
    start = (
        prose(sentence(f"how much is lost is absent: {lost.reason}"))
        if isinstance(lost, Absent)
        else prose(
            "Of all stream seconds ",
            Bold(numbers.point(lost, PERCENT)),
            f" {numbers.ends(lost, PERCENT)}".rstrip(),
            " are lost against the quiet rate",
        )
    )
    largest = max(
        (part for part in finding.parts if isinstance(part.share, Estimate)),
        key=lambda part: value_of(part.share) or 0.0,
        default=None,
    )
    if isinstance(lost, Absent) or largest is None or not isinstance(largest.share, Estimate):
        return start if isinstance(lost, Absent) else (*start, ".")
    return (
        *start,
        f"; the largest part, {numbers.full(largest.share, PERCENT)}, is {attribution_name(largest.id)}.",
    )


def _table(finding: Attribution) -> Table:
    reasons = Reasons()
    rows: list[tuple[Prose, ...]] = [
        (
            prose(attribution_name(part.id)),
            reasons.cell(part.share, PERCENT),
            (Bar(value_of(part.share)),),
            prose("–" if part.tokens_share is None else numbers.share(part.tokens_share)),
        )
        for part in finding.parts
    ]
    known = [value_of(part.share) for part in finding.parts]
    if all(value is not None for value in known):
        total = sum(value for value in known if value is not None)
        rows.append(
            (prose(Bold("all parts")), prose(Bold(numbers.share(round(total, 9)))), prose(""), prose(""))
        )
    return Table(
        caption=f"Parts of the loss, in {finding.unit}",
        columns=(
            *word_columns("part"),
            *number_columns("share of the loss"),
            *word_columns(""),
            *number_columns("weighted by tokens"),
        ),
        rows=tuple(rows),
        notes=reasons.notes(),
    )
