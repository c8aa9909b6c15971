"""Did the protection ever act?"""

from __future__ import annotations

from census.model.census import Census
from census.model.estimate import Absent
from census.model.findings import ProtectionMeter
from census.render import numbers
from census.render.page import Block, Section, Table, number_columns, word_columns
from census.render.prose import Bold, Code, Prose, prose, sentence
from census.render.sections.parts import absent_section, caveats_touching

ID = "protection-meter"
QUESTION = "Did the protection of decode ever act?"


def build(census: Census) -> Section:
    """Return the section: the meter over the report's boots, then boot by boot."""
    finding = census.findings.protection_meter
    caveats = caveats_touching(census, ID)
    if isinstance(finding, Absent):
        return absent_section(ID, QUESTION, finding, caveats)
    blocks: tuple[Block, ...] = (_table(finding),) if finding.by_boot else ()
    return Section(id=ID, question=QUESTION, answer=answer(finding), blocks=blocks, caveats=caveats)


def answer(finding: ProtectionMeter | Absent) -> Prose:
    """Return the state of the meter in words; absent is never zero, and zero is never absent."""
    if isinstance(finding, Absent):
        return prose(sentence(f"the protection meter is absent: {finding.reason}"))
    meter = (
        prose("The meter ", Code(finding.metric), " ") if finding.metric else ("The meter of held steps ",)
    )
    had = "" if finding.opportunities is None else f"{numbers.count(finding.opportunities)} opportunities"
    if finding.state == "zero":
        return (
            *meter,
            "is ",
            Bold("zero"),
            f" in {had or 'this window'}: no step was held, nothing protected anyone.",
        )
    if finding.state == "moving":
        held = "" if finding.held is None else f"{numbers.count(finding.held)} held steps"
        beside = f" in {had}" if had else ""
        return (*meter, "is ", Bold("moving"), f": {held}{beside}.{_change(finding)}")
    if finding.state == "no opportunity":
        return (
            *meter,
            "had ",
            Bold("no opportunity"),
            ": no chunk ran beside a decoder, so it proves nothing.",
        )
    return (*meter, "is ", Bold("not exported"), " by this engine; that is not the same as zero.")


def _change(finding: ProtectionMeter) -> str:
    """Say where boots differ: numbers over all of them mix two settings."""
    moving = [row.boot for row in finding.by_boot if row.state == "moving"]
    still = [row.boot for row in finding.by_boot if row.state == "zero"]
    if not (moving and still):
        return ""
    return (
        f" It moved in boot {_listed(moving)} and not in boot {_listed(still)}: what is said over all boots "
        f"mixes "
        "two settings, and --boot takes one."
    )


def _listed(boots: list[int]) -> str:
    return ", ".join(str(boot) for boot in boots)


def _table(finding: ProtectionMeter) -> Table:
    return Table(
        caption="Held steps (increase) and opportunities (mixed steps), boot by boot",
        columns=(*number_columns("boot"), *word_columns("state"), *number_columns("held", "opportunities")),
        rows=tuple(
            (
                prose(str(row.boot)),
                prose(row.state),
                prose("not exported" if row.held is None else numbers.count(row.held)),
                prose("not known" if row.opportunities is None else numbers.count(row.opportunities)),
            )
            for row in finding.by_boot
        ),
        notes=(),
    )
