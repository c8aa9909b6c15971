"""What is a thing called in a report? One name for each id, and one sentence for each verdict."""

from __future__ import annotations

from census.model.census import Census
from census.model.findings import StepClass, StepClasses
from census.render import numbers
from census.render.prose import Code, Prose

FINDINGS = {
    "step-phases": "step costs",
    "decode-under-prefill": "decode by prefill",
    "pending": "pending meters",
    "lag-structure": "lag structure",
    "mechanism": "mechanism",
    "arrival-wait": "arrivals",
    "protection-meter": "protection meter",
    "preemptions": "preemptions",
    "ladder": "ladder",
    "attribution": "attribution",
}

MECHANISMS = {
    "shared-step": "shared step",
    "exclusive-prefill": "exclusive prefill run",
    "residency": "residency or eviction",
    "batch-growth": "batch growth",
    "preemption": "preemption and recompute",
    "queueing": "queueing for a slot",
    "group-stall": "a stall shared by the engine group",
    "load": "load alone",
    "none": "no interference",
    "inconclusive": "inconclusive",
}

VERDICTS = {
    "shared-step": "Decode pays for the step that it shares with a prefill chunk.",
    "exclusive-prefill": "Decode waits while prefill has the engine to itself.",
    "residency": "Decode-only steps themselves are slower after prefill: eviction or expert residency.",
    "batch-growth": "Decode-only steps are slower because more rows decode in them: batch growth.",
    "preemption": "Decode pays for requests that were preempted and computed again.",
    "queueing": "Requests queue for a slot; decode itself is not slowed by prefill.",
    "group-stall": "Decode stalls together with the other engines of its group.",
    "load": "Decode is slower under load alone; prefill adds nothing that could be told from it.",
    "none": "Prefill does not slow decode here.",
    "inconclusive": "Inconclusive: the data do not single out one mechanism.",
}

ATTRIBUTION = {
    "shared-step": "steps shared with a chunk",
    "shared-chunks": "steps shared with a chunk",
    "exclusive-prefill": "waiting out prefill runs",
    "preemption": "preemption and recompute",
    "residency": "slower decode-only steps",
    "slower-decode": "slower decode-only steps",
    "batch-growth": "more rows in a step",
    "rest": "the rest",
}

FIRST_LABELS = ("model_name", "model", "engine")
"""The labels that a reader knows an engine by; the others follow."""

UNITS = {"_tok_s": "tok/s", "_ms": "ms", "_s": "s", "_bytes": "bytes"}
"""How the keys of evidence and audit rows name their units; the longest first."""

STEP_CLASSES = {
    "decode": "decode-only",
    "mixed": "mixed",
    "prefill": "prefill-only",
    "chunk": "chunk (mixed + prefill-only)",
    "other": "other",
}


def finding_key(touched: str) -> str:
    """Return the kebab id of a finding, however a caveat writes it ("finding/step-phases", "step_phases")."""
    return touched.rsplit("/", maxsplit=1)[-1].replace("_", "-")


def finding_name(touched: str) -> str:
    """Return the name of a finding in words."""
    key = finding_key(touched)
    return FINDINGS.get(key, spelled(key))


def mechanism_name(mechanism: str) -> str:
    """Return the name of a mechanism in words."""
    return MECHANISMS.get(mechanism, spelled(mechanism))


def attribution_name(part: str) -> str:
    """Return the name of a part of the loss in words."""
    return ATTRIBUTION.get(part, spelled(part))


def spelled(key: str) -> str:
    """Return an identifier as words."""
    return key.replace("_", " ").replace("-", " ")


def labelled(key: str) -> str:
    """Return the key of an evidence or audit row as words, without its unit."""
    suffix = _suffix(key)
    return spelled(key.removesuffix(suffix)) if suffix else spelled(key)


def quantity(key: str, value: object) -> str:
    """Return the value of an evidence or audit row, in the unit that its key names."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return numbers.scalar(value)
    suffix = _suffix(key)
    if suffix == "_s":
        return f"{numbers.scalar(value * 1000.0)} ms" if 0 < abs(value) < 1 else f"{numbers.scalar(value)} s"
    if key.endswith("share") or key == "coverage":
        return numbers.share(value)
    return f"{numbers.scalar(value)} {UNITS[suffix]}" if suffix else numbers.scalar(value)


def _suffix(key: str) -> str:
    return next((suffix for suffix in UNITS if key.endswith(suffix) and key != suffix), "")


def at_prefill(low: float, high: float | None) -> str:
    """Return where on the prefill axis a bucket lies: "with no prefill", "at 500 to 1,000 prefill tok/s"."""
    name = numbers.bucket(low, high)
    if name == "none":
        return "with no prefill"
    if low == 0:
        return f"below {name.removeprefix('under ')} prefill tok/s"
    return f"at {name.replace('and more', 'or more')} prefill tok/s"


def engine_name(census: Census) -> Prose:
    """Return which engine this is: the profile, then its labels as the server wrote them."""
    keys = sorted(census.engine.labels, key=lambda key: (_place(key), key))
    labels = [f"{key}={census.engine.labels[key]}" for key in keys]
    pieces: list[str | Code] = [census.engine.profile]
    for number, label in enumerate(labels):
        pieces.append(", " if number else " · ")
        pieces.append(Code(label))
    return (*pieces, " (pooled)") if census.pooled else tuple(pieces)


def _place(label: str) -> int:
    return FIRST_LABELS.index(label) if label in FIRST_LABELS else len(FIRST_LABELS)


def classes_of(classes: StepClasses) -> tuple[tuple[str, StepClass], ...]:
    """Return the five step classes with their ids, in reading order."""
    return tuple((name, getattr(classes, name)) for name in STEP_CLASSES)
