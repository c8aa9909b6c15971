"""What can a knob move?"""

from __future__ import annotations

from census.model.census import Census
from census.model.estimate import Absent, Estimate
from census.model.findings import Pending
from census.render import numbers
from census.render.numbers import PERCENT, TOKEN_RATE, TOKENS
from census.render.page import Block, Remark, Section, Table, number_columns, word_columns
from census.render.prose import Bold, Prose, prose, sentence
from census.render.reasons import Reasons
from census.render.sections.parts import absent_section, caveats_touching

ID = "pending"
QUESTION = "What can a knob move?"
UNHARMED = 0.95
"""A pending rate at or above this share of the quiet rate is no loss that a knob could give back."""


def build(census: Census) -> Section:
    """Return the section: the rate while prefill waits, the share of stream life so, the exchange rate."""
    finding = census.findings.pending
    caveats = caveats_touching(census, ID)
    if isinstance(finding, Absent):
        return absent_section(ID, QUESTION, finding, caveats)
    blocks: tuple[Block, ...] = (
        _table(finding),
        Remark(
            text=prose(
                "An interleave acts on the first two lines alone. The exchange rate is what a chunk takes "
                "from every "
                "stream beside it, and no interleave changes it: only fewer prefill tokens (cache hits), "
                "admission or "
                "separate machines do."
            )
        ),
    )
    return Section(id=ID, question=QUESTION, answer=answer(finding), blocks=blocks, caveats=caveats)


def answer(finding: Pending) -> Prose:
    """Return the sentence "a stream that decodes throughout spends X % of its time at Y tok/s, not Z"."""
    rate, share, quiet = finding.rate_tok_s, finding.share_of_stream_time, finding.quiet_tok_s
    for name, reading in (("rate while prefill is pending", rate), ("share of stream time", share)):
        if isinstance(reading, Absent):
            return prose(sentence(f"the {name} is absent: {reading.reason}"))
    if not (isinstance(rate, Estimate) and isinstance(share, Estimate)):
        raise TypeError("a reading is an Estimate or Absent")
    if isinstance(quiet, Estimate) and rate.value >= quiet.value * UNHARMED:
        return _unharmed(rate, share, quiet)
    start = prose(
        "A stream that decodes throughout spends ",
        Bold(numbers.point(share, PERCENT)),
        f" {numbers.ends(share, PERCENT)}".rstrip(),
        " of its time at ",
        Bold(numbers.point(rate, TOKEN_RATE)),
        f" {numbers.ends(rate, TOKEN_RATE)}".rstrip(),
    )
    if isinstance(quiet, Absent):
        return (*start, ".")
    return (
        *start,
        " instead of ",
        Bold(numbers.point(quiet, TOKEN_RATE)),
        f" {numbers.ends(quiet, TOKEN_RATE)}".rstrip(),
        ".",
    )


def exchange(finding: Pending) -> Prose:
    """Return the sentence on what 1,000 prefill tokens cost."""
    reading = finding.exchange_tok_per_1000
    if isinstance(reading, Absent):
        return prose(sentence(f"the exchange rate is absent: {reading.reason}"))
    if reading.value <= 0 or (reading.low is not None and reading.low <= 0):
        told = numbers.ends(reading, TOKENS) or numbers.point(reading, TOKENS)
        return prose(f"1,000 prefill tokens cost a decoding stream no token that could be told: {told}.")
    return prose(
        "Every 1,000 prefill tokens cost each decoding stream ",
        Bold(numbers.point(reading, TOKENS)),
        f" {numbers.ends(reading, TOKENS)}".rstrip(),
        "; no interleave changes that.",
    )


def _unharmed(rate: Estimate, share: Estimate, quiet: Estimate) -> Prose:
    return prose(
        f"While prefill is pending, {numbers.full(share, PERCENT)} of stream time, a stream gets ",
        Bold(numbers.point(rate, TOKEN_RATE)),
        f" {numbers.ends(rate, TOKEN_RATE)}".rstrip(),
        ", otherwise ",
        Bold(numbers.point(quiet, TOKEN_RATE)),
        f" {numbers.ends(quiet, TOKEN_RATE)}".rstrip(),
        ": nothing for an interleave to protect.",
    )


def _table(finding: Pending) -> Table:
    reasons = Reasons()
    lines = (
        ("pending rate: a stream's rate while prefill work is pending", finding.rate_tok_s, TOKEN_RATE),
        ("pending share: time in steps with decode rows spent so", finding.share_of_stream_time, PERCENT),
        ("quiet rate: a stream's rate otherwise", finding.quiet_tok_s, TOKEN_RATE),
        (
            "exchange rate: tokens lost per stream and 1,000 prefill tokens",
            finding.exchange_tok_per_1000,
            TOKENS,
        ),
    )
    rows = [
        (
            prose(name),
            reasons.cell(reading, unit),
            prose(numbers.count(reading.n) if isinstance(reading, Estimate) else ""),
            prose(reading.method if isinstance(reading, Estimate) else ""),
        )
        for name, reading, unit in lines
    ]
    held = finding.held_per_mixed
    rows.append(
        (
            prose("held steps per mixed step"),
            prose("not exported" if held is None else numbers.plain(held, numbers.BARE)),
            prose(""),
            prose("from the two counters" if held is not None else ""),
        )
    )
    return Table(
        caption="The pending meters",
        columns=(*word_columns("meter"), *number_columns("value", "n"), *word_columns("method")),
        rows=tuple(rows),
        notes=reasons.notes(),
    )
