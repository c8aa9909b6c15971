"""What the report says in words: meter states, odd data explained, refusals, absences, the first screen."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from census_factory import absent_census, estimate, full_census

from census.model.census import Census
from census.model.estimate import Absent
from census.model.findings import Mechanism, ProtectionBoot, ProtectionMeter
from census.render.markdown import line
from census.render.page import Remark, Section, Table
from census.render.prose import Spark, plain_text
from census.render.sections import head
from census.render.sections.build import build_page
from census.render.sections.lag import shown_lags
from census.render.sections.mechanism import closest, verdict
from census.render.sections.protection import answer as meter_answer


def replaced(**findings: Any) -> Census:
    """Return the full census with some findings changed: a mapping of new fields, or another value."""
    census = full_census()
    changed = {
        name: dataclasses.replace(getattr(census.findings, name), **change)
        if isinstance(change, dict)
        else change
        for name, change in findings.items()
    }
    return dataclasses.replace(census, findings=dataclasses.replace(census.findings, **changed))


def section_of(census: Census, name: str) -> Section:
    return next(section for section in build_page(census).sections if section.id == name)


def words_of(section: Section) -> str:
    """Return everything that a section says."""
    said = [plain_text(section.answer)]
    for block in section.blocks:
        if isinstance(block, Remark):
            said.append(plain_text(block.text))
        if isinstance(block, Table):
            said += [plain_text(value) for row in block.rows for value in row]
            said += [plain_text(note) for note in block.notes]
    return " ".join(said)


@pytest.mark.parametrize(
    ("meter", "said"),
    [
        pytest.param(
            {"state": "zero", "held": 0, "opportunities": 58527},
            "The meter `m` is **zero** in 58,527 opportunities: no step was held, nothing protected anyone.",
            id="zero",
        ),
        pytest.param(
            {"state": "moving", "held": 91, "opportunities": 100},
            "The meter `m` is **moving**: 91 held steps in 100 opportunities.",
            id="moving",
        ),
        pytest.param(
            {"state": "no opportunity", "held": 0, "opportunities": 0},
            "The meter `m` had **no opportunity**: no chunk ran beside a decoder, so it proves nothing.",
            id="no opportunity",
        ),
        pytest.param(
            {"state": "not exported", "held": None, "opportunities": 12},
            "The meter `m` is **not exported** by this engine; that is not the same as zero.",
            id="not exported",
        ),
    ],
)
def test_the_protection_meter_has_four_states_in_words(meter: dict[str, Any], said: str) -> None:
    finding = ProtectionMeter(metric="m", by_boot=(), **meter)
    assert line(meter_answer(finding)) == said


def test_a_meter_without_a_name_is_still_named() -> None:
    finding = ProtectionMeter(metric="", state="not exported", held=None, opportunities=None, by_boot=())
    assert plain_text(meter_answer(finding)).startswith(
        "The meter of held steps is not exported by this engine"
    )


def test_the_first_screen_carries_the_five_things_it_must() -> None:
    screen = head.build(full_census())
    said = " ".join(plain_text(fact) for fact in screen.facts)
    assert plain_text(screen.verdict) == "Decode pays for the step that it shares with a prefill chunk."
    assert "came closest: batch growth" in plain_text(screen.closest)
    assert (
        "throughout spends 38 % [34, 41] of its time at 13.0 tok/s [12.4, 13.7] instead of 139 tok/s" in said
    )
    assert "Every 1,000 prefill tokens cost each decoding stream 10.9 tokens [10.2, 11.5]" in said
    assert "is zero in 40,800 opportunities" in said
    assert screen.ladder is not None
    assert [plain_text(row[0]) for row in screen.ladder.rows] == ["0", "1", "8"]
    assert plain_text(screen.fitness) == (
        "48.0 h, from 2026-10-19T00:00:00Z to 2026-10-21T00:00:00Z, in 2 boots; scraped every 15 s, "
        "coverage 99.8 %; 4,693 of 11,498 intervals carry prefill."
    )


def test_a_reason_shared_by_many_findings_is_told_once() -> None:
    screen = head.build(absent_census())
    assert [plain_text(fact) for fact in screen.facts] == [
        "Absent: step costs, pending meters, decode by prefill, arrivals, protection meter, ladder. "
        "decode_steps: not found; nearest: vllm:request_success_total."
    ]
    assert screen.ladder is None


def test_an_inconclusive_verdict_says_why_and_what_would_settle_it() -> None:
    census = replaced(
        mechanism={
            "verdict": "inconclusive",
            "closest": None,
            "reason": "12 loaded intervals, fewer than 50",
            "would_settle": "a day with more prefill",
        }
    )
    said = plain_text(head.build(census).verdict)
    assert said.startswith("Inconclusive")
    assert "12 loaded intervals, fewer than 50. What would settle it: A day with more prefill." in said


def test_a_mechanism_that_is_absent_is_no_verdict() -> None:
    assert plain_text(verdict(Absent("no steps"))) == "No verdict. No steps."
    assert closest(Absent("no steps")) == ()


@pytest.mark.parametrize(
    "named",
    ["shared-step", "exclusive-prefill", "residency", "batch-growth", "preemption", "queueing", "group-stall",
     "load", "none", "inconclusive"],
)  # fmt: skip
def test_every_mechanism_has_a_sentence_of_its_own(named: str) -> None:
    finding = full_census().findings.mechanism
    assert isinstance(finding, Mechanism)
    said = plain_text(verdict(dataclasses.replace(finding, verdict=named)))
    assert said.endswith(".")
    assert len(said.split()) >= 5


def test_load_that_hides_the_loss_is_said_and_its_absence_is_not() -> None:
    said = "the visible rate does not fall with prefill"
    assert said in words_of(section_of(full_census(), "decode-under-prefill"))
    clear = replaced(decode_under_prefill={"load_hides_it": False})
    assert said not in words_of(section_of(clear, "decode-under-prefill"))


def test_bucket_medians_are_never_shown_without_what_they_cannot_see() -> None:
    assert "Bucket medians cannot see an interleave that works" in words_of(
        section_of(full_census(), "decode-under-prefill")
    )


def test_where_there_are_no_pending_meters_no_reader_is_sent_to_them() -> None:
    said = words_of(section_of(replaced(pending=Absent("no mixed steps")), "decode-under-prefill"))
    assert "The pending meters, which can, are absent here." in said
    assert "Judge a deploy" not in said


def test_step_costs_that_no_bucket_has_are_one_sentence_and_no_table() -> None:
    finding = full_census().findings.decode_under_prefill
    none = Absent("not exported: steps are not counted")
    rows = tuple(dataclasses.replace(row, decode_step_s=none, chunk_step_s=none) for row in finding.rows)  # type: ignore[union-attr]
    section = section_of(replaced(decode_under_prefill={"rows": rows}), "decode-under-prefill")
    assert "What steps cost in these buckets is absent: Not exported: steps are not counted." in words_of(
        section
    )
    assert len([block for block in section.blocks if isinstance(block, Table)]) == 1


def test_a_bucket_whose_median_is_not_its_mean_is_explained() -> None:
    said = words_of(section_of(full_census(), "decode-under-prefill"))
    assert "Median and pooled rate part in 5,000 and more prefill tok/s" in said


def test_the_echo_of_a_long_prefill_in_the_correlations_is_explained() -> None:
    said = words_of(section_of(full_census(), "lag-structure"))
    assert "The correlation at −15 s (r = −0.41) is outside its band, yet nothing lingers" in said
    assert "the visible rate correlates 0.19 where the single stream correlates −0.74" in said


def test_the_founding_form_of_the_ladder_is_set_beside_ours_in_words() -> None:
    said = words_of(section_of(full_census(), "ladder"))
    assert (
        "At N = 16 it says 88.7 tok/s and × 2.49; with q and s as estimated here, 86.1 tok/s and × 1.95"
        in said
    )
    assert "Computed, not measured" in said
    assert "unstable: the queue grows" in said


def test_a_refused_ladder_is_refused_on_the_first_screen_too() -> None:
    census = replaced(ladder={"accepted": False, "reason": "prefill runs exclude decode"})
    screen = head.build(census)
    assert screen.ladder is None
    assert "Ladder refused: Prefill runs exclude decode." in [plain_text(fact) for fact in screen.facts]
    assert words_of(section_of(census, "ladder")).startswith("Refused: Prefill runs exclude decode.")


def test_a_warning_of_the_server_stands_at_the_head_of_the_report() -> None:
    census = full_census()
    warned = dataclasses.replace(
        census, provenance=dataclasses.replace(census.provenance, warnings=("store 3 is unavailable",))
    )
    assert plain_text(head.build(warned).banner[0]) == "The server warned: store 3 is unavailable"


def test_a_pooled_census_says_so_in_title_and_banner() -> None:
    screen = head.build(dataclasses.replace(full_census(), pooled=True))
    assert plain_text(screen.title).endswith("(pooled)")
    assert any("several engines added up" in plain_text(text) for text in screen.banner)


def test_caveats_stand_beside_what_they_touch_the_gravest_first() -> None:
    sections = {section.id: [c.id for c in section.caveats] for section in build_page(full_census()).sections}
    assert sections["decode-under-prefill"] == ["trap/cache-hits", "trap/gauge-aliasing"]
    assert sections["step-phases"] == ["trap/counter-reset"]
    assert sections["protection-meter"] == ["trap/counter-reset"]
    assert sections["lag-structure"] == ["trap/cache-hits"]
    assert sections["arrival-wait"] == []


def test_measured_estimated_and_computed_are_different_words() -> None:
    assert "(measured)" in plain_text(section_of(full_census(), "step-phases").answer)
    estimated = replaced(step_phases={"source": "estimated"})
    assert "(estimated)" in plain_text(section_of(estimated, "step-phases").answer)


def test_no_preemption_is_a_count_of_none_and_not_an_absence() -> None:
    none = replaced(preemptions={"total": 0, "bursts": (), "most_in_120_s": 0, "per_hour": 0.0})
    assert plain_text(section_of(none, "preemptions").answer).startswith("None in the window")


def test_a_pending_share_that_is_absent_says_why() -> None:
    census = replaced(pending={"share_of_stream_time": Absent("no mixed step")})
    assert (
        plain_text(section_of(census, "pending").answer)
        == "The share of stream time is absent: no mixed step."
    )


def test_a_step_class_with_no_mean_leaves_the_sentence_honest() -> None:
    finding = full_census().findings.step_phases
    chunk = dataclasses.replace(finding.classes.chunk, mean_s=Absent("3 chunk steps"))  # type: ignore[union-attr]
    census = replaced(step_phases={"classes": dataclasses.replace(finding.classes, chunk=chunk)})  # type: ignore[union-attr]
    said = plain_text(section_of(census, "step-phases").answer)
    assert said.endswith("(measured); the cost of a chunk step is absent: 3 chunk steps.")


def test_the_time_line_has_one_character_a_stretch_and_a_dot_where_nothing_is_known() -> None:
    section = section_of(full_census(), "timeline")
    (table,) = (block for block in section.blocks if isinstance(block, Table))
    (row,) = (row for row in table.rows if plain_text(row[0]) == "prefill")
    (piece,) = row[1]
    assert isinstance(piece, Spark)
    assert len(piece.text) == 48
    assert piece.text[23] == "·"
    assert piece.text.count("·") == 1
    assert table.caption == "Means, one character for 1.0 h; a dot: nothing known"


@pytest.mark.parametrize(
    ("lags", "shown"),
    [
        ((-15.0, 0.0, 15.0), {-15.0, 0.0, 15.0}),
        (
            tuple(float(lag) for lag in range(-300, 301, 15)),
            {-300.0, -240.0, -120.0, -60.0, -30.0, -15.0, 0.0, 15.0, 30.0, 60.0, 120.0, 240.0, 300.0},
        ),
    ],
)
def test_a_short_lag_table_keeps_zero_its_neighbours_and_the_ends(
    lags: tuple[float, ...], shown: set[float]
) -> None:
    assert shown_lags(lags) == shown


def test_no_section_claims_a_cause_from_a_correlation() -> None:
    said = words_of(section_of(full_census(), "lag-structure")).lower()
    assert "because" not in said
    assert "cause" not in said


def test_the_quiet_rate_can_be_absent_and_the_sentence_still_stands() -> None:
    census = replaced(
        pending={"quiet_tok_s": Absent("no quiet step"), "rate_tok_s": estimate(6, 5, 7, unit="tok/s")}
    )
    said = plain_text(section_of(census, "pending").answer)
    assert said == "A stream that decodes throughout spends 38 % [34, 41] of its time at 6 tok/s [5, 7]."


def test_boots_with_another_setting_are_not_mixed_silently() -> None:
    by_boot = (
        ProtectionBoot(boot=0, state="zero", held=0, opportunities=100),
        ProtectionBoot(boot=1, state="moving", held=90, opportunities=100),
    )
    finding = ProtectionMeter(metric="m", state="moving", held=90, opportunities=200, by_boot=by_boot)
    assert (
        "It moved in boot 1 and not in boot 0: what is said over all boots mixes two settings"
        in plain_text(meter_answer(finding))
    )


def test_a_rate_that_prefill_does_not_lower_is_no_loss() -> None:
    census = replaced(
        pending={
            "rate_tok_s": estimate(172.8, 172.7, 172.9, unit="tok/s"),
            "quiet_tok_s": estimate(172.84, 172.8, 172.88, unit="tok/s"),
            "exchange_tok_per_1000": estimate(0.00005, -0.0005, 0.0006, unit="tokens"),
        }
    )
    said = " ".join(plain_text(fact) for fact in head.build(census).facts)
    assert "instead of" not in said
    assert "otherwise 172.84 tok/s [172.80, 172.88]: nothing for an interleave to protect." in said
    assert "no token that could be told: [−0.00050, 0.00060]." in said


def test_a_chunk_step_that_costs_no_more_is_said_to_be_as_long() -> None:
    finding = full_census().findings.step_phases
    chunk = dataclasses.replace(finding.classes.chunk, mean_s=estimate(0.0155, 0.0154, 0.0156))  # type: ignore[union-attr]
    census = replaced(step_phases={"classes": dataclasses.replace(finding.classes, chunk=chunk)})  # type: ignore[union-attr]
    assert "as long as that (measured)" in plain_text(section_of(census, "step-phases").answer)


def test_a_refusal_is_not_said_twice() -> None:
    census = replaced(ladder={"accepted": False, "reason": "refused: the mechanism is residency"})
    assert words_of(section_of(census, "ladder")).startswith("Refused: The mechanism is residency.")
