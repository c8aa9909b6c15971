"""How many preemptions were there, and did they come in bursts?"""

from __future__ import annotations

from census.model.census import Census
from census.model.estimate import Absent
from census.model.findings import Preemptions
from census.render import numbers
from census.render.numbers import PER_HOUR
from census.render.page import Block, Remark, Section, Table, number_columns, word_columns
from census.render.prose import Bold, Code, Prose, prose
from census.render.sections.parts import absent_section, bar_of, caveats_touching

ID = "preemptions"
QUESTION = "Were there preemptions, and did they come in bursts?"
MOST_ROWS = 10


def build(census: Census) -> Section:
    """Return the section: the total, the most in 120 s, and the largest bursts."""
    finding = census.findings.preemptions
    caveats = caveats_touching(census, ID)
    if isinstance(finding, Absent):
        return absent_section(ID, QUESTION, finding, caveats)
    blocks: tuple[Block, ...] = ()
    if finding.bursts:
        blocks = (
            _table(finding),
            Remark(
                text=prose(
                    "A gauge of waiting or preempted requests is read between bursts and cannot see them."
                )
            ),
        )
    return Section(id=ID, question=QUESTION, answer=_answer(finding), blocks=blocks, caveats=caveats)


def _answer(finding: Preemptions) -> Prose:
    if finding.total == 0:
        return prose(Bold("None"), " in the window (a counter that is exported and did not move).")
    rate = "" if finding.per_hour is None else f", {numbers.plain(finding.per_hour, PER_HOUR)}"
    return prose(
        Bold(numbers.count(finding.total)),
        f" in the window{rate}; the most in any 120 s: ",
        Bold(numbers.count(finding.most_in_120_s)),
        ".",
    )


def _table(finding: Preemptions) -> Table:
    largest = sorted(finding.bursts, key=lambda burst: (-burst.count, burst.start))[:MOST_ROWS]
    shown = sorted(largest, key=lambda burst: burst.start)
    full = max(burst.count for burst in shown)
    left = len(finding.bursts) - len(shown)
    return Table(
        caption="Bursts"
        if not left
        else f"The {MOST_ROWS} largest of {numbers.count(len(finding.bursts))} bursts",
        columns=(*word_columns("start"), *number_columns("span", "preemptions"), *word_columns("")),
        rows=tuple(
            (
                prose(Code(burst.start)),
                prose(numbers.span(burst.span_s)),
                prose(numbers.count(burst.count)),
                (bar_of(burst.count, full=full),),
            )
            for burst in shown
        ),
        notes=(),
    )
