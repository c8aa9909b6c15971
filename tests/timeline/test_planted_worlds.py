"""A simulated radiance with restarts, gaps and jitter: every boot and gap, and the true totals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from census.model.settings import Settings
from census.model.window import Window
from census.queries.resolve import resolve_series
from census.simulate.engine import simulate
from census.simulate.expose_radiance import radiance_series
from census.simulate.run import Run
from census.simulate.truth import truth_between
from census.simulate.world import Restart
from census.simulate.worlds import shared_step
from census.timeline.build import build_timeline
from census.timeline.timeline import Timeline

HOUR = 3600.0
RESTARTS = (Restart(at_s=1.3 * HOUR, downtime_s=65.0), Restart(at_s=2.6 * HOUR + 3.0, downtime_s=9.0))
GAPS = ((0.5 * HOUR, 300.0), (2.0 * HOUR, 95.0))


@pytest.fixture(scope="module")
def planted() -> tuple[Run, Timeline]:
    """Return a run of four hours with two restarts and two gaps, and its timeline."""
    world = shared_step(hours=4)
    run = simulate(replace(world, restarts=RESTARTS, scraping=replace(world.scraping, gaps=GAPS)), 3)
    series = radiance_series(run)
    (entry,) = resolve_series(series)
    window = Window(start_ms=run.start_ms, end_ms=run.end_ms)
    return run, build_timeline(entry, dict(enumerate(series)), window=window, settings=Settings())


def test_every_boot_is_found(planted: tuple[Run, Timeline]) -> None:
    run, timeline = planted
    expected = [
        (int(run.scrape_ms[run.scrape_boot == boot][0]), int(run.scrape_ms[run.scrape_boot == boot][-1]))
        for boot in range(3)
    ]
    assert [(boot.first_ms, boot.end_ms) for boot in timeline.boots] == expected
    assert all("counters fell together" in boot.evidence for boot in timeline.boots[1:])


def test_every_gap_is_found(planted: tuple[Run, Timeline]) -> None:
    run, timeline = planted
    spacing_s = np.diff(run.scrape_ms) / 1000.0
    same_boot = np.diff(run.scrape_boot) == 0
    expected = run.scrape_ms[:-1][(spacing_s > 2.5 * 15.02) & same_boot]
    assert timeline.frame.loc[timeline.frame["gap"], "start_ms"].tolist() == expected.tolist()
    assert len(expected) == 2


@pytest.mark.parametrize(
    ("role", "truth"),
    [
        ("decode_steps", "steps_decode"),
        ("mixed_steps", "steps_mixed"),
        ("prefill_steps", "steps_prefill"),
        ("steps", "steps"),
        ("prefill_tokens", "prefill_tokens"),
        ("decode_tokens", "decode_tokens"),
        ("decode_seconds", "seconds_decode"),
        ("preemptions", "preemptions"),
    ],
)
def test_totals_are_the_truth_from_the_first_to_the_last_scrape(
    planted: tuple[Run, Timeline], role: str, truth: str
) -> None:
    run, timeline = planted
    for boot in timeline.boots:
        begin = (
            boot.first_ms if boot.index == 0 else run.start_ms + round(run.boots[boot.index].ready_s * 1000)
        )
        true = truth_between(run, np.array([begin, boot.end_ms])).only(truth)
        found = float(timeline.totals.loc[boot.index, role])
        assert found == pytest.approx(true, abs=2.0 if "token" not in role else 2100.0, rel=1e-5)


def test_what_happened_between_the_scrapes_adds_up_to_the_totals(planted: tuple[Run, Timeline]) -> None:
    _, timeline = planted
    inside = timeline.frame.groupby("boot")[list(timeline.totals.columns)].sum()
    np.testing.assert_allclose(inside + timeline.heads, timeline.totals, rtol=1e-9, atol=1e-6)


def test_nothing_else_was_done_to_the_samples(planted: tuple[Run, Timeline]) -> None:
    _, timeline = planted
    facts = timeline.facts
    assert (facts.dips, facts.bad_samples, facts.lone_resets, facts.late_born, facts.unusable) == ((),) * 5
    assert (facts.clamped, len(facts.resets)) == ((), 2)
