"""What does an arriving request wait for its first token?"""

from __future__ import annotations

from census.model.census import Census
from census.model.estimate import Absent
from census.model.findings import ArrivalBucket, ArrivalWait
from census.render import numbers
from census.render.names import at_prefill
from census.render.page import Block, Remark, Section, Table, number_columns
from census.render.prose import Bold, Code, Prose, prose, sentence
from census.render.sections.parts import absent_section, caveats_touching

ID = "arrival-wait"
CLOCKS = {
    "request": "when a request ends, not when its first token comes",
    "first_token": "when the first token comes",
    "step": "step by step",
}
QUESTION = "What does an arriving request wait for its first token?"


def build(census: Census) -> Section:
    """Return the section: quantiles with their bounds and shares over thresholds, bucket by bucket."""
    finding = census.findings.arrival_wait
    caveats = caveats_touching(census, ID)
    if isinstance(finding, Absent):
        return absent_section(ID, QUESTION, finding, caveats)
    blocks: tuple[Block, ...] = (_table(finding), *(Remark(text=text) for text in _remarks(finding)))
    return Section(id=ID, question=QUESTION, answer=answer(finding), blocks=blocks, caveats=caveats)


def answer(finding: ArrivalWait) -> Prose:
    """Return the sentence: the p90 in the calmest and in the busiest bucket, and who waits longest."""
    served = [row for row in finding.rows if row.requests]
    if not served:
        return prose("No request was booked inside the window's intervals.")
    first, last = served[0], served[-1]
    start = prose(
        "Nine requests of ten have their first token within ",
        Bold(numbers.quantile(first.p90_s)),
        f" {at_prefill(first.lo, first.hi)} ({numbers.count(first.requests)} requests)",
    )
    if len(served) == 1:
        return (*start, ".")
    worst = _over(last)
    return (
        *start,
        ", and within ",
        Bold(numbers.quantile(last.p90_s)),
        f" {at_prefill(last.lo, last.hi)} ({numbers.count(last.requests)} requests)",
        f"; {worst}." if worst else ".",
    )


def _over(row: ArrivalBucket) -> str:
    wanted = "10" if "10" in row.over else next(iter(row.over), None)
    if wanted is None:
        return ""
    return f"{numbers.share_range(row.over[wanted])} of these wait longer than {wanted} s"


def _table(finding: ArrivalWait) -> Table:
    thresholds = tuple(finding.all.over)
    every = (*finding.rows, finding.all)
    names = [numbers.bucket(row.lo, row.hi) for row in finding.rows] + ["all"]
    rows = tuple(_row(name, row, thresholds) for name, row in zip(names, every, strict=True))
    return Table(
        caption="Time to first token by prefill rate (tok/s); in brackets the histogram bucket that holds it",
        columns=number_columns(
            "prefill", "requests", "p50", "p90", "p99", *(f"over {threshold} s" for threshold in thresholds)
        ),
        rows=rows,
        notes=(prose("Histograms are pooled by adding increments; a share off a bucket edge is a range."),),
    )


def _row(name: str, row: ArrivalBucket, thresholds: tuple[str, ...]) -> tuple[Prose, ...]:
    quantiles = tuple(
        prose(" ".join(filter(None, (numbers.quantile(bound), _bracketed(numbers.quantile_bounds(bound))))))
        if row.requests
        else prose("–")
        for bound in (row.p50_s, row.p90_s, row.p99_s)
    )
    over = tuple(
        prose(numbers.share_range(row.over[threshold]) if threshold in row.over and row.requests else "–")
        for threshold in thresholds
    )
    return (prose(name), prose(numbers.count(row.requests)), *quantiles, *over)


def _bracketed(text: str) -> str:
    return f"({text})" if text else ""


def _remarks(finding: ArrivalWait) -> tuple[Prose, ...]:
    if finding.note.strip():
        return (prose(Code(finding.metric), ": ", sentence(finding.note)),)
    booked = CLOCKS.get(finding.clock, f"on the clock “{finding.clock}”")
    lag = "" if finding.lag_s is None else f", {numbers.span(finding.lag_s)} later on average"
    return (prose(Code(finding.metric), f" is booked {booked}{lag}."),)
