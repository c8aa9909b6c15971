"""What must be on the first screen?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from census.model.census import Census
from census.model.estimate import Absent
from census.render import numbers
from census.render.names import FINDINGS, engine_name
from census.render.page import Head
from census.render.prose import Bold, Code, Prose, prose, sentence
from census.render.sections import arrivals, decode, fitness, ladder, mechanism, pending, protection, steps

Answer = Callable[[Any], Prose]

THIN = 0.8
"""A window covered less than this gets a banner."""

FACTS: tuple[tuple[str, str, Answer], ...] = (
    ("step-phases", "step_phases", steps.answer),
    ("pending", "pending", pending.answer),
    ("pending", "pending", pending.exchange),
    ("decode-under-prefill", "decode_under_prefill", decode.answer),
    ("arrival-wait", "arrival_wait", arrivals.answer),
    ("protection-meter", "protection_meter", protection.answer),
)


def build(census: Census) -> Head:
    """Return the first screen: verdict, facts, the short ladder, and how fit the data are."""
    found = census.findings
    facts = [
        answer(getattr(found, field))
        for _, field, answer in FACTS
        if not isinstance(getattr(found, field), Absent)
    ]
    if not isinstance(found.ladder, Absent) and not found.ladder.accepted:
        facts.append(ladder.refused(found.ladder))
    return Head(
        title=prose("Interference census: ", *engine_name(census)),
        banner=_banner(census),
        verdict=_verdict(census),
        closest=mechanism.closest(found.mechanism),
        facts=(*facts, *_absences(census)),
        ladder=ladder.short_table(found.ladder),
        fitness=fitness.sentence_of(census),
    )


def _verdict(census: Census) -> Prose:
    finding = census.findings.mechanism
    said = mechanism.verdict(finding)
    if isinstance(finding, Absent) or finding.verdict != "inconclusive":
        return said
    settle = (
        f" What would settle it: {sentence(finding.would_settle)}" if finding.would_settle.strip() else ""
    )
    return (*said, f" {sentence(finding.reason)}{settle}".rstrip())


def _absences(census: Census) -> tuple[Prose, ...]:
    """Return one line a reason: which findings are absent for it."""
    wanted = dict.fromkeys([*((key, field) for key, field, _ in FACTS), ("ladder", "ladder")])
    absent: dict[str, list[str]] = {}
    for key, field in wanted:
        finding = getattr(census.findings, field)
        if isinstance(finding, Absent):
            absent.setdefault(finding.reason, []).append(FINDINGS[key])
    return tuple(
        prose(Bold("Absent: "), f"{', '.join(names)}. {sentence(reason)}") for reason, names in absent.items()
    )


def _banner(census: Census) -> tuple[Prose, ...]:
    said: list[Prose] = [
        prose(Bold("The server warned: "), Code(warning)) for warning in census.provenance.warnings
    ]
    if census.pooled:
        pooled = "several engines added up, as was asked for; one engine's loss may hide here."
        said.append(prose(Bold("Pooled: "), pooled))
    removed = [caveat for caveat in census.caveats if caveat.severity == "error"]
    said += [prose(Bold("Removed: "), sentence(caveat.summary)) for caveat in removed]
    covered = census.coverage.coverage
    if covered < THIN:
        said.append(
            prose(Bold("Thin: "), f"only {numbers.share(covered)} of the window is covered by scrapes.")
        )
    return tuple(said)
