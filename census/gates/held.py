"""Did the knob that is believed to protect decode ever act?

Method: held steps and their opportunities (mixed steps: a chunk beside decoders), counted since the last boot
seen, or since a deploy. A counter that stands still proves nothing by itself: absent is never zero, and zero
means something only beside opportunities.

    moving           held counted, at the least above zero           exit 0
    zero             held counted nothing, opportunities did         exit 1
    no opportunity   neither counted                                 exit 4
    not exported     no such counter, or none in the span            exit 4
    unknown          the bounds meet zero; the counter cannot be
                     read (several workers answer in turn); how many
                     opportunities there were is not known           exit 4

A partial answer of the server is inconclusive whatever it holds. A value that was there before the deploy and
did not move is no pass: the increase is zero, and the verdict says that the process did not restart.

When it misleads: a restart between two scrapes that no counter shows (``hidden resets``), where the process
start is not known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from census.errors import InconclusiveError, UsageError
from census.gates.meters import Meters, read_meters
from census.gates.result import Bounds, EngineVerdict, GateResult, Outcome, State, worst
from census.gates.span import Since
from census.model.window import rfc3339

ID = "gate/held"

OUTCOMES: Mapping[State, Outcome] = {
    "moving": "pass",
    "zero": "fail",
    "no opportunity": "inconclusive",
    "not exported": "inconclusive",
    "unknown": "inconclusive",
}


def judge_held(gate: Mapping[str, Any], *, since: Since = "boot", engine: str | None = None) -> GateResult:
    """Judge the protection meter of each engine in a gate document.

    Parameters
    ----------
    since : "boot" (the last one seen) or a moment in milliseconds since 1970.
    engine : key of the only engine to judge, or the profile of those to judge; "auto" and None mean all.

    Raises
    ------
    UsageError : there is no engine of that key.
    InconclusiveError : the document holds no engine.
    """
    chosen = _choose(read_meters(gate), engine=engine)
    partial = bool(gate.get("partial"))
    verdicts = tuple(_judge(meters, since=since, partial=partial) for meters in chosen)
    return GateResult(
        id=ID,
        outcome=worst(one.outcome for one in verdicts),
        engines=verdicts,
        warnings=tuple(str(one) for one in gate.get("warnings", ())),
    )


def _choose(engines: Sequence[Meters], *, engine: str | None) -> list[Meters]:
    if not engines:
        raise InconclusiveError("no engine was found", hint="census doctor shows what the server has")
    chosen = [one for one in engines if engine in (None, "auto", one.key, one.profile)]
    if not chosen:
        known = ", ".join(one.key for one in engines)
        raise UsageError(f"there is no engine {engine!r}", hint=f"the engines are {known}")
    return chosen


def _judge(meters: Meters, *, since: Since, partial: bool) -> EngineVerdict:
    held, chances = _counted(meters, "held_steps", since=since), _counted(meters, "mixed_steps", since=since)
    state, summary = _state(meters, held=held, chances=chances, since=since)
    outcome = OUTCOMES[state]
    if partial:
        outcome, summary = "inconclusive", f"the server's answer may be partial; as far as it goes: {summary}"
    return EngineVerdict(
        key=meters.key,
        profile=meters.profile,
        labels=meters.labels,
        outcome=outcome,
        state=state,
        held=held,
        opportunities=chances,
        since=_span(meters, since=since),
        summary=summary,
        evidence=_evidence(meters, held=held, since=since),
    )


def _counted(meters: Meters, role: str, *, since: Since) -> Bounds | None:
    """Return what a role counted, None where it has no sample in the span or cannot be read."""
    return None if meters.unreadable(role) else meters.counted(role, since=since)


def _state(meters: Meters, *, held: Bounds | None, chances: Bounds | None, since: Since) -> tuple[State, str]:
    if meters.scan is None or not _seen_since(meters, since=since):
        return "unknown", f"no sample {_words(since)}"
    broken = meters.unreadable("held_steps", "mixed_steps")
    if broken:
        return "unknown", broken
    if held is None:
        return "not exported", _not_exported(meters, since=since)
    if held.low > 0:
        beside = f" beside {chances} mixed steps" if chances is not None else ""
        return "moving", f"{_meter(meters)} counted {held} held steps{beside} {_words(since)}"
    if held.high > 0:
        return (
            "unknown",
            f"{_meter(meters)} counted {held} {_words(since)}: {_why_bounds(meters, since=since)}",
        )
    return _state_of_zero(meters, chances=chances, since=since)


def _state_of_zero(meters: Meters, *, chances: Bounds | None, since: Since) -> tuple[State, str]:
    nothing = f"{_meter(meters)} counted nothing"
    if chances is None:
        why = meters.absent.get("mixed_steps", "mixed steps have no samples in the span")
        return "unknown", f"{nothing} {_words(since)}, and whether it could have is not known: {why}"
    if chances.low > 0:
        return "zero", f"{nothing} in {chances} mixed steps {_words(since)}"
    if chances.high > 0:
        return "unknown", f"{nothing} {_words(since)}, and its opportunities are {chances}"
    return "no opportunity", f"{nothing} {_words(since)}, and no step carried a chunk beside decoders"


def _meter(meters: Meters) -> str:
    return meters.metrics.get("held_steps", "held_steps")


def _seen_since(meters: Meters, *, since: Since) -> bool:
    return meters.scan is not None and (since == "boot" or meters.scan.boots[-1].end_ms >= since)


def _not_exported(meters: Meters, *, since: Since) -> str:
    reason = meters.absent.get("held_steps")
    if reason:
        return reason
    return f"{_meter(meters)} has no samples {_words(since)}"


def _why_bounds(meters: Meters, *, since: Since) -> str:
    if meters.scan is None or since != "boot" or meters.scan.boots[-1].start_seen:
        return "whether its first value was counted in that time is not known"
    return "it stood there when the window began and did not move since; give --since or a longer window"


def _words(since: Since) -> str:
    return "since the last boot" if since == "boot" else f"since {rfc3339(since)}"


def _span(meters: Meters, *, since: Since) -> str:
    if meters.scan is None:
        return _words(since)
    if since != "boot":
        return rfc3339(since)
    boot = meters.scan.boots[-1]
    begun = f"boot {boot.index}, from {rfc3339(boot.start_ms)}"
    return f"{begun} ({boot.evidence})" if boot.start_seen else f"{begun} (its start lies before the window)"


def _evidence(meters: Meters, *, held: Bounds | None, since: Since) -> tuple[str, ...]:
    if meters.scan is None:
        return ()
    lines = [
        f"judged {_span(meters, since=since)}" if since == "boot" else _restarts(meters, moment_ms=since)
    ]
    last = [one.values[-1] for one in meters.counters.get("held_steps", ())]
    if last and held is not None:
        lines.append(f"{_meter(meters)} stands at {sum(last):,.0f}")
    if meters.scan.hidden_resets != "excluded":
        lines.append("hidden resets cannot be excluded: the process start is not known")
    return tuple(lines)


def _restarts(meters: Meters, *, moment_ms: int) -> str:
    """Say whether a new process came since the moment."""
    if meters.scan is None:
        return ""
    after = [boot for boot in meters.scan.boots if boot.start_seen and boot.first_ms > moment_ms]
    if not after:
        begun = meters.scan.process_start_ms[-1]
        if begun is None:
            return "no restart is seen since"
        after_it = begun >= moment_ms
        return f"the process {'began' if after_it else 'did not restart since: it began'} {rfc3339(begun)}"
    told = ", ".join(f"{rfc3339(boot.start_ms)} ({boot.evidence})" for boot in after)
    return f"{len(after)} restart(s) since: {told}"
