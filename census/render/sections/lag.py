"""Does the effect of prefill end with the prefill, or does it linger?"""

from __future__ import annotations

from census.model.census import Census
from census.model.estimate import Absent, Estimate
from census.model.findings import LagResponse, LagRow, LagStructure
from census.render import numbers
from census.render.numbers import PERCENT
from census.render.page import Block, Remark, Section, Table, number_columns, word_columns
from census.render.prose import Bold, Prose, Spark, prose, sentence
from census.render.reasons import Reasons
from census.render.sections.parts import absent_section, caveats_touching
from census.render.sparks import spark

ID = "lag-structure"
QUESTION = "Does the effect of prefill linger?"

ANSWERS = {
    "lag-0-only": "No: it is there at lag 0 only, and gone when the prefill is gone.",
    "lingering": "Yes: decode stays slower after the prefill has ended.",
    "none": "There is no effect large enough to matter, at any lag.",
    "inconclusive": "Inconclusive.",
}
MOST_ROWS = 13
PAIRS = (
    "Pairs lie inside one boot with no gap between; n eff. is what they are worth, since neighbours in time "
    "resemble "
    "each other; p is over the whole family of lags."
)


def build(census: Census) -> Section:
    """Return the section: net responses first, since the verdict rests on them, then the correlations."""
    finding = census.findings.lag_structure
    caveats = caveats_touching(census, ID)
    if isinstance(finding, Absent):
        return absent_section(ID, QUESTION, finding, caveats)
    tables = tuple(table for table in (_response_table(finding), _correlations(finding)) if table.rows)
    remarks = tuple(Remark(text=text) for text in _remarks(finding))
    blocks: tuple[Block, ...] = (*tables, *remarks)
    return Section(id=ID, question=QUESTION, answer=answer(finding), blocks=blocks, caveats=caveats)


def answer(finding: LagStructure) -> Prose:
    """Return the verdict with the two effects that decide it."""
    start = prose(Bold(ANSWERS[finding.verdict]))
    effects = []
    if isinstance(finding.effect_at_0, Estimate):
        effects.append(f"{numbers.full(finding.effect_at_0, PERCENT)} of the quiet rate at lag 0")
    if isinstance(finding.lingering, Estimate):
        effects.append(
            f"{numbers.full(finding.lingering, PERCENT)} summed over lags of two intervals and more"
        )
    told = (
        f" Net response at the median prefill rate of loaded intervals: {'; '.join(effects)}."
        if effects
        else ""
    )
    return (*start, f"{told} {sentence(finding.reason)}".rstrip())


def shown_lags(lags: tuple[float, ...]) -> frozenset[float]:
    """Return the lags that a short table shows: all of few, else zero, its neighbours, and powers of two."""
    if len(lags) <= MOST_ROWS:
        return frozenset(lags)
    chosen: set[float] = set()
    for side in (
        sorted(lag for lag in lags if lag >= 0),
        sorted((lag for lag in lags if lag <= 0), reverse=True),
    ):
        steps = {0, 1, 2, 4, 8, 16, len(side) - 1}
        chosen |= {lag for place, lag in enumerate(side) if place in steps}
    return frozenset(chosen)


def _response_table(finding: LagStructure) -> Table:
    reasons = Reasons()
    shown = shown_lags(tuple(row.lag_s for row in finding.response))
    rows = tuple(
        (prose(numbers.lag(row.lag_s)), reasons.cell(row.effect, PERCENT), prose(_pull(row)))
        for row in finding.response
        if row.lag_s in shown
    )
    return Table(
        caption="Response of the per-stream rate at each lag, net of the other lags, share of the quiet rate",
        columns=(*number_columns("lag, prefill leads", "effect"), *word_columns("interval")),
        rows=rows,
        notes=reasons.notes(),
    )


def _pull(row: LagResponse) -> str:
    effect = row.effect
    if isinstance(effect, Absent) or effect.low is None or effect.high is None:
        return ""
    if effect.high < 0:
        return "slower"
    return "faster" if effect.low > 0 else "holds zero"


def _correlations(finding: LagStructure) -> Table:
    shown = shown_lags(tuple(row.lag_s for row in finding.rows))
    detrended = {row.lag_s: row for row in finding.detrended.rows}
    visible = {row.lag_s: row for row in finding.visible.rows}
    rows = tuple(
        (
            prose(numbers.lag(row.lag_s)),
            prose(_with_ends(row)),
            prose("–" if row.band is None else f"± {numbers.correlation(row.band)}"),
            prose(numbers.correlation(row.spearman)),
            prose(_r_of(detrended.get(row.lag_s))),
            prose(_r_of(visible.get(row.lag_s))),
            prose(numbers.count(row.n)),
            prose("–" if row.n_eff is None else numbers.count(row.n_eff)),
            prose(numbers.probability(row.p_family)),
        )
        for row in finding.rows
        if row.lag_s in shown
    )
    notes = () if not finding.rows else (_profile(finding.rows), prose(PAIRS))
    return Table(
        caption=f"Correlation of prefill rate and {finding.outcome.replace('_', '-')} rate",
        columns=number_columns(
            "lag, prefill leads",
            "r",
            "null band",
            "Spearman",
            "r, drift removed",
            "r, visible",
            "n",
            "n eff.",
            "p",
        ),
        rows=rows,
        notes=notes,
    )


def _profile(rows: tuple[LagRow, ...]) -> Prose:
    first, last = numbers.lag(rows[0].lag_s), numbers.lag(rows[-1].lag_s)
    return (f"|r| at every lag, {first} to {last}: ", Spark(spark(tuple(row.r for row in rows), full=1.0)))


def _with_ends(row: LagRow) -> str:
    if row.r is None or row.low is None or row.high is None:
        return numbers.correlation(row.r)
    return f"{numbers.correlation(row.r)} [{numbers.correlation(row.low)}, {numbers.correlation(row.high)}]"


def _r_of(row: LagRow | None) -> str:
    return "–" if row is None else numbers.correlation(row.r)


def _remarks(finding: LagStructure) -> tuple[Prose, ...]:
    said = []
    neighbours = [row for row in finding.rows if _is_echo(row)]
    if finding.verdict == "lag-0-only" and neighbours:
        strongest = max(neighbours, key=lambda row: abs(row.r or 0.0))
        said.append(
            prose(
                f"The correlation at {numbers.lag(strongest.lag_s)} (r = {numbers.correlation(strongest.r)}) "
                f"is outside "
                "its band, yet nothing lingers: a prefill that lasts several scrapes makes its neighbours in "
                "time look "
                "guilty. The response above is net of that, and the verdict rests on it."
            )
        )
    at_0 = {row.lag_s: row.r for row in finding.rows}.get(0.0)
    seen = {row.lag_s: row.r for row in finding.visible.rows}.get(0.0)
    if at_0 is not None and seen is not None and at_0 < -0.2 and seen > at_0 / 2:
        said.append(
            prose(
                f"At lag 0 the visible rate correlates {numbers.correlation(seen)} where the single stream "
                f"correlates "
                f"{numbers.correlation(at_0)}: more sessions at once raise prefill and visible decode "
                f"together."
            )
        )
    return tuple(said)


def _is_echo(row: LagRow) -> bool:
    outside = row.r is not None and row.band is not None and row.r < -row.band
    return outside and row.lag_s != 0
