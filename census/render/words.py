"""What does each word of a report mean? The glossary: one word an idea, the same everywhere.

docs/glossary.md and ``census explain term/...`` both come from this list.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its meaning in one or two sentences."""

    term: str
    meaning: str

    @property
    def id(self) -> str:
        """The id under which ``census explain`` tells it."""
        return f"term/{self.term.lower().replace(' ', '-')}"


WORDS = (
    Word("step", "One scheduler batch, one forward pass of the model."),
    Word("decode-only step", "A step that carries decode rows alone."),
    Word(
        "mixed step",
        "A step that carries a prefill chunk beside decode rows; every stream in it waits for the chunk.",
    ),
    Word("prefill-only step", "A step that carries prefill chunks alone."),
    Word("chunk step", "A step that carries a prefill chunk: mixed and prefill-only steps together."),
    Word(
        "held step",
        "A decode-only step taken while prefill work waited, because a knob said so. An interleave of N "
        "takes N of "
        "them after each chunk step beside decoders.",
    ),
    Word("chunk", "The piece of a prompt that one step computes."),
    Word("row", "One sequence in one step. A decode row gives one token, and more with speculation."),
    Word("stream", "One request while it decodes."),
    Word(
        "interference",
        "What prefill does to the decode of others: a step with a chunk takes many times as long, and each "
        "stream in "
        "it gets one row for it.",
    ),
    Word(
        "boot",
        "One process lifetime of one engine. Counters restart at its start, so nothing is subtracted across "
        "its edge.",
    ),
    Word(
        "head",
        "What a process had counted before its first scrape. It belongs to the totals of its boot and to no "
        "rate.",
    ),
    Word("interval", "The time between two successive scrapes of one target inside one boot."),
    Word(
        "gap",
        "An interval much longer than its neighbours (2.5 times, by default). Its counts enter totals; it "
        "enters no "
        "rate, bucket or lag.",
    ),
    Word("coverage", "The share of the window that lies inside intervals which are no gap."),
    Word("loaded interval", "An interval with decode work and with prefill."),
    Word(
        "episode",
        "A run of adjacent intervals in one bucket. Neighbours resemble each other, so a bucket of fewer "
        "than five "
        "episodes gives no interval of uncertainty.",
    ),
    Word(
        "capture",
        "What one pull brought home: raw samples, where they came from, what was asked and what was absent. "
        "A folder.",
    ),
    Word("role", "A quantity that census needs, whatever an engine calls it: decode_steps, running, ttft."),
    Word("profile", "One engine's table from roles to metric names, kinds and clocks."),
    Word(
        "clock",
        "When a metric moves: at every step, at the first token, at the end of a request, or as a decaying "
        "average. "
        "A metric that moves at request end says when a request ended, not when its tokens came.",
    ),
    Word("finding", "The answer to one question of the report."),
    Word(
        "caveat",
        "What a trap has to say about the data, with its evidence and the findings that it touches.",
    ),
    Word("trap", "A known way in which operators are misled by metrics."),
    Word("census", "All findings and caveats of one capture."),
    Word(
        "reading",
        "A number together with its interval, its sample size, its unit and its method; or the reason why "
        "there is none.",
    ),
    Word("absent", "Not known, with the reason. Absent is never zero, and zero is a measurement."),
    Word("measured", "Counted or timed by the engine itself."),
    Word("estimated", "Inferred from what the engine counts, by a stated method."),
    Word("computed", "Arithmetic on measured or estimated numbers: what would be, not what was."),
    Word(
        "visible rate",
        "Decode tokens per second of wall clock, over all streams: what a load test sees. It rises with the "
        "number of "
        "streams, so it can rise while each stream starves.",
    ),
    Word("per-stream rate", "Tokens per second that one stream gets while it decodes."),
    Word("busy rate", "Decode tokens per second of engine step time."),
    Word(
        "pooled rate",
        "Tokens over stream-seconds of a whole bucket. The median is of intervals; where the two part, the "
        "bucket "
        "mixes spells with and without chunks.",
    ),
    Word(
        "prefill rate",
        "Computed prefill tokens per second; tokens that came from the prefix cache are not computed and do "
        "not count.",
    ),
    Word("bucket", "The intervals whose prefill rate lies in [low, high). The first bucket is exactly zero."),
    Word("quiet rate", "What a stream gets while no prefill is pending: k / D."),
    Word(
        "pending rate",
        "What a stream gets while prefill work is pending: k (1 + h) / (C + h D), with h held steps per "
        "mixed step. "
        "An interleave raises it.",
    ),
    Word("pending share", "The share of stream time during which prefill work is pending."),
    Word(
        "exchange rate",
        "Tokens that each stream loses per 1,000 prefill tokens beside it: k (C - D) / (D c) x 1000, with c "
        "tokens a "
        "chunk. No interleave changes it.",
    ),
    Word(
        "lag",
        "The time by which decode follows prefill. Positive: prefill leads. An effect at lag 0 only ends "
        "with the "
        "prefill; one that lingers does not.",
    ),
    Word(
        "net response",
        "The effect of prefill at one lag with the other lags held fixed (a distributed-lag regression).",
    ),
    Word(
        "null band",
        "How far from zero the correlation of two unrelated series with the same memory would wander.",
    ),
    Word(
        "effective n",
        "How many independent pairs the pairs at hand are worth, since neighbours in time resemble each "
        "other.",
    ),
    Word("rival", "Another explanation of the same loss, with a prediction that was tested."),
    Word("protection meter", "The counter of held steps beside its opportunities, the mixed steps."),
    Word(
        "ladder",
        "What N held steps after each chunk step would give a stream and cost a prefill, for rising N. "
        "Computed.",
    ),
    Word(
        "founding form",
        "The ladder as first written down: the case of prefill that never pauses, with every chunk "
        "beside a decoder.",
    ),
    Word("stretch", "How many times as long a prefill takes at N held steps."),
    Word("dilution", "A mean over many short steps and few long ones, which looks like neither."),
)


def glossary_markdown() -> str:
    """Return docs/glossary.md."""
    lines = ["# Glossary", "", "One word an idea, the same in the report, the code and these pages.", ""]
    lines += ["| word | meaning |", "| --- | --- |"]
    lines += [f"| {word.term} | {word.meaning} |" for word in WORDS]
    return "\n".join(lines) + "\n"
