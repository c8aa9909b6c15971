"""What happens to decode as prefill rises?"""

from __future__ import annotations

from census.model.census import Census
from census.model.estimate import Absent, Estimate, value_of
from census.model.findings import DecodeBucket, DecodeUnderPrefill, Quartiles, Range
from census.render import numbers
from census.render.names import at_prefill
from census.render.numbers import MILLISECONDS, TOKEN_RATE
from census.render.page import Block, Remark, Section, Table, number_columns, word_columns
from census.render.prose import Bar, Bold, Prose, prose, sentence
from census.render.reasons import Reasons, methods_of
from census.render.sections.parts import absent_section, bar_of, caveats_touching

ID = "decode-under-prefill"
QUESTION = "What happens to decode as prefill rises?"

MEDIANS = (
    "Bucket medians cannot see an interleave that works: at a given prefill rate the same chunks are paid "
    "for "
    "whatever the setting. Judge a deploy by the pending meters below."
)
MEDIANS_ALONE = (
    "Bucket medians cannot see an interleave that works: at a given prefill rate the same chunks are paid "
    "for "
    "whatever the setting. The pending meters, which can, are absent here."
)
STALLS = {
    "counted": "Decoders wait out prefill-only steps here: those count as their time.",
    "nobody's": (
        "Chunks take decode rows along here, so a prefill-only step holds no decoder up and counts for none."
    ),
    "both bounds": "Whether decoders wait out prefill-only steps cannot be told: both bounds are given.",
}
MIXTURE = 0.25
"""A pooled rate further than this share from the median of its bucket gets a sentence."""


def build(census: Census) -> Section:
    """Return the section: rates bucket by bucket, then what steps cost in each bucket."""
    finding = census.findings.decode_under_prefill
    caveats = caveats_touching(census, ID)
    if isinstance(finding, Absent):
        return absent_section(ID, QUESTION, finding, caveats)
    judged = not isinstance(census.findings.pending, Absent)
    remarks = tuple(Remark(text=text) for text in _remarks(finding, judged=judged))
    blocks: tuple[Block, ...] = (_rates_table(finding), *remarks, _costs(finding))
    return Section(id=ID, question=QUESTION, answer=answer(finding), blocks=blocks, caveats=caveats)


def answer(finding: DecodeUnderPrefill) -> Prose:
    """Return the sentence: per-stream rate in the lowest and in the highest bucket that have one."""
    known = [
        (row, row.per_stream_tok_s) for row in finding.rows if isinstance(row.per_stream_tok_s, Estimate)
    ]
    measured = [(row, reading) for row, reading in known if isinstance(reading, Estimate)]
    if not measured:
        return prose("No bucket has a per-stream rate; the reasons stand under the table.")
    (low_row, low), (high_row, high) = measured[0], measured[-1]
    start = prose(
        "Per stream the median interval gives ",
        Bold(numbers.point(low, TOKEN_RATE)),
        f" {numbers.ends(low, TOKEN_RATE)}".rstrip(),
        f" {at_prefill(low_row.lo, low_row.hi)}",
    )
    if len(measured) == 1:
        return (*start, "; no other bucket has a rate.")
    return (
        *start,
        ", and ",
        Bold(numbers.point(high, TOKEN_RATE)),
        f" {numbers.ends(high, TOKEN_RATE)}".rstrip(),
        f" {at_prefill(high_row.lo, high_row.hi)}.",
    )


def _rates_table(finding: DecodeUnderPrefill) -> Table:
    reasons = Reasons()
    medians = [value_of(row.per_stream_tok_s) or 0.0 for row in finding.rows]
    full = max(medians, default=0.0)
    rows = tuple(_rate_row(row, full=full, reasons=reasons) for row in finding.rows)
    methods = methods_of(
        tuple(("per stream", row.per_stream_tok_s) for row in finding.rows)
        + tuple(("visible", row.visible_tok_s) for row in finding.rows)
    )
    return Table(
        caption="Decode rate by computed prefill rate, tok/s: medians of intervals, quartiles, pooled",
        columns=(
            *number_columns("prefill", "intervals", "episodes", "hours", "per stream", "quartiles", "pooled"),
            *word_columns("per stream, median"),
            *number_columns("visible", "quartiles"),
        ),
        rows=rows,
        notes=(*reasons.notes(), *methods),
    )


def _rate_row(row: DecodeBucket, *, full: float, reasons: Reasons) -> tuple[Prose, ...]:
    return (
        prose(numbers.bucket(row.lo, row.hi)),
        prose(numbers.count(row.intervals)),
        prose(numbers.count(row.episodes)),
        prose(numbers.hours(row.seconds)),
        _rate(row.per_stream_tok_s, reasons),
        prose(_quartiles(row.per_stream_quartiles)),
        prose(numbers.known(row.per_stream_pooled_tok_s, numbers.BARE, otherwise="–")),
        (bar_of(value_of(row.per_stream_tok_s), full=full),),
        _rate(row.visible_tok_s, reasons),
        prose(_quartiles(row.visible_quartiles)),
    )


def _rate(reading: Estimate | Absent, reasons: Reasons) -> Prose:
    return reasons.cell(reading, numbers.BARE)


def _quartiles(quartiles: Quartiles | None) -> str:
    if quartiles is None:
        return "–"
    return numbers.span_of(Range(low=quartiles.q1, high=quartiles.q3), numbers.BARE)


def _costs(finding: DecodeUnderPrefill) -> Block:
    """Return the table of step costs, or the one reason why there are none."""
    readings = [reading for row in finding.rows for reading in (row.decode_step_s, row.chunk_step_s)]
    reasons = {reading.reason for reading in readings if isinstance(reading, Absent)}
    if len(reasons) == 1 and all(isinstance(reading, Absent) for reading in readings):
        return Remark(text=prose(f"What steps cost in these buckets is absent: {sentence(reasons.pop())}"))
    return _costs_table(finding)


def _costs_table(finding: DecodeUnderPrefill) -> Table:
    reasons = Reasons()
    rows = tuple(
        (
            prose(numbers.bucket(row.lo, row.hi)),
            prose("–" if row.prefill_tok_s is None else numbers.plain(row.prefill_tok_s, numbers.BARE)),
            reasons.cell(row.decode_step_s, MILLISECONDS),
            reasons.cell(row.chunk_step_s, MILLISECONDS),
            prose("–" if row.chunk_share_of_time is None else numbers.share(row.chunk_share_of_time)),
            (Bar(row.chunk_share_of_time),),
        )
        for row in finding.rows
    )
    return Table(
        caption="What steps cost in the same buckets (ratios of sums)",
        columns=(
            *number_columns(
                "prefill", "mean prefill tok/s", "decode-only step", "chunk step", "chunk, of step time"
            ),
            *word_columns("chunk share"),
        ),
        rows=rows,
        notes=reasons.notes(),
    )


def _remarks(finding: DecodeUnderPrefill, *, judged: bool) -> tuple[Prose, ...]:
    stalls = STALLS.get(finding.stalls, sentence(f"stalls: {finding.stalls}"))
    said = [
        prose(
            f"Prefill axis: {finding.prefill_axis}. Per-stream rate: {finding.per_stream_source}. {stalls}"
        ),
        prose(MEDIANS if judged else MEDIANS_ALONE),
    ]
    if finding.load_hides_it:
        said.insert(
            0,
            prose(
                Bold("Load hides it: "),
                "the visible rate does not fall with prefill, because more sessions decode when more prefill "
                "comes; "
                "each single stream is slower all the same.",
            ),
        )
    mixed = [row for row in finding.rows if _is_mixture(row)]
    if mixed:
        named = ", ".join(numbers.bucket(row.lo, row.hi) for row in mixed)
        said.append(
            prose(
                f"Median and pooled rate part in {named} prefill tok/s: these intervals mix spells with and "
                f"without a "
                "chunk, so the middle interval is not the average second. Pooled is tokens over "
                "stream-seconds."
            )
        )
    return tuple(said)


def _is_mixture(row: DecodeBucket) -> bool:
    median = value_of(row.per_stream_tok_s)
    pooled = row.per_stream_pooled_tok_s
    return median is not None and pooled is not None and pooled > 0 and abs(median / pooled - 1) > MIXTURE
