"""What must be on the first screen?"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from census.model.census import Census
from census.model.estimate import Absent
from census.render import numbers
from census.render.names import engine_name
from census.render.page import Head
from census.render.prose import Bold, Code, Prose, prose, sentence
from census.render.sections import arrivals, decode, fitness, ladder, mechanism, pending, protection, steps

Found = TypeVar("Found")


def build(census: Census) -> Head:
    """Return the first screen: verdict, facts, the short ladder, and how fit the data are."""
    found = census.findings
    facts = [
        _told("step costs", found.step_phases, steps.answer),
        _told("pending meters", found.pending, pending.answer),
        *((pending.exchange(found.pending),) if not isinstance(found.pending, Absent) else ()),
        _told("decode by prefill", found.decode_under_prefill, decode.answer),
        _told("arrivals", found.arrival_wait, arrivals.answer),
        protection.answer(found.protection_meter),
    ]
    if not_priced := ladder.refused(found.ladder):
        facts.append(not_priced)
    return Head(
        title=prose("Interference census: ", *engine_name(census)),
        banner=_banner(census),
        verdict=_verdict(census),
        closest=mechanism.closest(found.mechanism),
        facts=tuple(facts),
        ladder=ladder.short_table(found.ladder),
        fitness=fitness.sentence_of(census),
    )


def _verdict(census: Census) -> Prose:
    finding = census.findings.mechanism
    said = mechanism.verdict(finding)
    if isinstance(finding, Absent) or finding.verdict != "inconclusive":
        return said
    return (*said, f" {sentence(finding.reason)}".rstrip(), f" {sentence(finding.would_settle)}".rstrip())


def _told(name: str, finding: Found | Absent, answer: Callable[[Found], Prose]) -> Prose:
    if isinstance(finding, Absent):
        return prose(sentence(f"{name}: absent: {finding.reason}"))
    return answer(finding)


def _banner(census: Census) -> tuple[Prose, ...]:
    said: list[Prose] = [
        prose(Bold("The server warned: "), Code(warning)) for warning in census.provenance.warnings
    ]
    if census.pooled:
        said.append(
            prose(
                Bold("Pooled: "),
                "several engines added up, as was asked for; one engine's loss may hide here.",
            )
        )
    removed = [caveat for caveat in census.caveats if caveat.severity == "error"]
    said += [prose(Bold("Removed: "), sentence(caveat.summary)) for caveat in removed]
    if census.coverage.coverage < 0.8:
        said.append(
            prose(
                Bold("Thin: "),
                f"only {numbers.share(census.coverage.coverage)} of the window is covered by scrapes.",
            )
        )
    return tuple(said)
