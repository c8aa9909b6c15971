"""What would N held steps after each chunk step give, and cost?"""

from __future__ import annotations

from census.model.census import Census
from census.model.estimate import Absent, Estimate
from census.model.findings import Ladder, LadderRow
from census.render import numbers
from census.render.numbers import BARE, MILLISECONDS, TOKEN_RATE
from census.render.page import Block, Listing, Remark, Section, Table, number_columns, word_columns
from census.render.prose import Bold, Code, Prose, prose, sentence
from census.render.reasons import Reasons
from census.render.sections.parts import absent_section, bar_of, caveats_touching

ID = "ladder"
QUESTION = "What would N held steps after each chunk step give, and what would they cost?"
SHORT = (0, 1, 8)
PROMISES_MORE = 1.05


def build(census: Census) -> Section:
    """Return the section: the rungs, the founding form beside them, formula and inputs."""
    finding = census.findings.ladder
    caveats = caveats_touching(census, ID)
    if isinstance(finding, Absent):
        return absent_section(ID, QUESTION, finding, caveats)
    blocks: tuple[Block, ...] = (
        _rates_table(finding),
        _costs_table(finding),
        *(Remark(text=text) for text in _remarks(finding)),
        Listing(caption="Formula", lines=_formula_lines(finding.formula)),
        _inputs_table(finding),
    )
    return Section(id=ID, question=QUESTION, answer=_answer(finding), blocks=blocks, caveats=caveats)


def short_table(finding: Ladder | Absent) -> Table | None:
    """Return the three-row ladder of the first screen, None where it is absent or refused."""
    if isinstance(finding, Absent) or not finding.accepted or not finding.rows:
        return None
    by_rung = {row.n: row for row in finding.rows}
    chosen = [by_rung[n] for n in SHORT if n in by_rung]
    if len(chosen) < len(SHORT):
        places = sorted({0, len(finding.rows) // 2, len(finding.rows) - 1})
        chosen = [finding.rows[place] for place in places]
    return Table(
        caption="Ladder, computed: N held steps after each chunk step beside decoders",
        columns=number_columns(
            "N", "rate while prefill is pending", "all-time rate", "prefill takes", "first token", "mean gap"
        ),
        rows=tuple(
            (
                prose(str(row.n)),
                prose(Bold(numbers.plain(row.pending_tok_s, TOKEN_RATE))),
                prose(numbers.span_of(row.all_time_tok_s, TOKEN_RATE)),
                prose(numbers.factor(row.stretch)),
                prose(_first_token(row)),
                prose(numbers.plain(row.mean_gap_s, MILLISECONDS)),
            )
            for row in chosen
        ),
        notes=(),
    )


def refused(finding: Ladder | Absent) -> Prose:
    """Return why there is no ladder, () where there is one."""
    if isinstance(finding, Absent):
        return prose(sentence(f"no ladder: {finding.reason}"))
    if not finding.accepted:
        return prose(Bold("Ladder refused: "), _reason(finding))
    return ()


def _reason(finding: Ladder) -> str:
    reason = finding.reason.strip()
    return sentence(reason[len("refused:") :] if reason.lower().startswith("refused:") else reason)


def _answer(finding: Ladder) -> Prose:
    if not finding.accepted:
        return prose(
            Bold("Refused: "),
            _reason(finding),
            " The rows below show what the arithmetic would say; they do not apply.",
        )
    later = [row for row in finding.rows if row.n > 0]
    if not later:
        return prose("Only the present setting was asked for.")
    first, last = later[0], later[-1]
    start = prose(
        f"Computed, not measured: N = {first.n} gives a stream ",
        Bold(numbers.plain(first.pending_tok_s, TOKEN_RATE)),
        " while prefill is pending and makes a prefill take ",
        Bold(numbers.factor(first.stretch)),
        " as long",
    )
    if last is first:
        return (*start, ".")
    return (
        *start,
        f"; N = {last.n}: {numbers.plain(last.pending_tok_s, TOKEN_RATE)} and "
        f"{numbers.factor(last.stretch)}.",
    )


def _formula_lines(formula: str) -> tuple[str, ...]:
    return tuple(part for text in formula.splitlines() for part in text.split("; "))


def _rates_table(finding: Ladder) -> Table:
    full = max(row.pending_tok_s for row in finding.rows) if finding.rows else 0.0
    return Table(
        caption="What a stream gets (computed), tok/s; the founding form in the last column",
        columns=(
            *number_columns("N", "pending rate", "interval"),
            *word_columns("pending rate, bar"),
            *number_columns("all-time rate", "mean gap", "worst gap", "founding form"),
        ),
        rows=tuple(
            (
                prose(str(row.n)),
                prose(numbers.plain(row.pending_tok_s, BARE)),
                prose("–" if row.pending_interval is None else numbers.span_of(row.pending_interval, BARE)),
                (bar_of(row.pending_tok_s, full=full),),
                prose(numbers.span_of(row.all_time_tok_s, BARE)),
                prose(numbers.plain(row.mean_gap_s, MILLISECONDS)),
                prose(numbers.plain(row.worst_gap_s, MILLISECONDS)),
                prose(numbers.plain(row.naive_tok_s, BARE)),
            )
            for row in finding.rows
        ),
        notes=(),
    )


def _costs_table(finding: Ladder) -> Table:
    return Table(
        caption="What it costs the prefilling and the waiting (computed)",
        columns=number_columns(
            "N", "a prefill takes", "time with prefill pending", "time to first token", "founding form"
        ),
        rows=tuple(
            (
                prose(str(row.n)),
                prose(numbers.factor(row.stretch)),
                prose(_busy(row)),
                prose(_first_token(row)),
                prose(numbers.factor(row.naive_slowdown)),
            )
            for row in finding.rows
        ),
        notes=(),
    )


def _busy(row: LadderRow) -> str:
    low = numbers.share(row.u.low)
    if row.u.high is None:
        return f"{low} and more"
    high = numbers.share(row.u.high)
    return high if low == high else f"{low.removesuffix(' %')} to {high}"


def _first_token(row: LadderRow) -> str:
    text = numbers.factor_range(row.ttft_factor)
    return f"{text}, unstable: the queue grows" if row.unstable else text


def _remarks(finding: Ladder) -> tuple[Prose, ...]:
    said = []
    if finding.flag.strip():
        said.append(prose("The knob: ", Code(finding.flag), "."))
    promising = [row for row in finding.rows if row.naive_tok_s > row.pending_tok_s * PROMISES_MORE]
    dearer = [row for row in finding.rows if row.naive_slowdown > row.stretch * PROMISES_MORE]
    if promising or dearer:
        row = (promising or dearer)[-1]
        said.append(
            prose(
                "The founding form, R0 (N + 1) C / (C + N D) with slowdown (C + N D) / C, is the case where "
                "prefill is "
                "always pending and every chunk runs beside a decoder (q = s = 1). At N = "
                f"{row.n} it says {numbers.plain(row.naive_tok_s, TOKEN_RATE)} and "
                f"{numbers.factor(row.naive_slowdown)}; "
                f"with q and s as estimated here, {numbers.plain(row.pending_tok_s, TOKEN_RATE)} and "
                f"{numbers.factor(row.stretch)}."
            )
        )
    if finding.n_star is not None:
        said.append(
            prose(
                Code("N*"),
                f" = {numbers.write(finding.n_star, digits=1)}: the all-time average surely gains only above "
                f"it; below "
                "it an interleave moves tokens from the quiet time into the pending time.",
            )
        )
    if any(row.unstable for row in finding.rows):
        said.append(
            prose(
                "Where prefill takes more time than there is, the queue grows without end: the arithmetic "
                "has no first-"
                "token time there, and a simulation of the measured workload says more."
            )
        )
    return tuple(said)


def _inputs_table(finding: Ladder) -> Table:
    reasons = Reasons()
    inputs, readings = finding.inputs, finding.readings
    lines = (
        ("k", "tokens per row and step", readings.k, BARE),
        ("C", "seconds of a mixed step", readings.C, MILLISECONDS),
        ("D", "seconds of a decode-only step", readings.D, MILLISECONDS),
        ("q", "share of mixed steps with prefill still pending after them", readings.q, BARE),
        ("λ", "mixed steps per second of decoding time", readings.lambda_, BARE),
    )
    rows = [
        (
            prose(Code(symbol)),
            prose(meaning),
            reasons.cell(reading, unit),
            prose(reading.method if isinstance(reading, Estimate) else ""),
        )
        for symbol, meaning, reading, unit in lines
    ]
    rows += [
        (
            prose(Code("s")),
            prose("mixed steps of all chunk steps"),
            prose(numbers.share(inputs.s)),
            prose("counted"),
        ),
        (
            prose(Code("u")),
            prose("share of wall time with prefill pending"),
            prose(_share_span(inputs.u.low, inputs.u.high)),
            prose("lower bound: chunk-step time; upper bound: requests waiting, or running beyond the rows"),
        ),
        (
            prose(Code("c")),
            prose("prefill tokens a chunk"),
            prose(numbers.known(inputs.chunk_tokens, BARE, otherwise="not known")),
            prose(""),
        ),
    ]
    return Table(
        caption="Inputs",
        columns=(*word_columns("symbol", "meaning"), *number_columns("value"), *word_columns("method")),
        rows=tuple(rows),
        notes=reasons.notes(),
    )


def _share_span(low: float, high: float | None) -> str:
    if high is None:
        return f"{numbers.share(low)} and more"
    return f"{numbers.share(low).removesuffix(' %')} to {numbers.share(high)}"
