"""docs/founding-case.md: what it says of the specimen is what the specimen says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "founding-case.md").read_text(encoding="utf-8")


def row_of(start: str) -> list[str]:
    """Return the cells of the table row that begins with these words."""
    line = next(text for text in PAGE.splitlines() if text.startswith(f"| {start} |"))
    return [part.strip() for part in line.strip("|").split("|")]


def numbers_in(cell: str) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?", cell)]


@pytest.fixture(scope="module")
def findings() -> dict[str, Any]:
    report = json.loads((ROOT / "reports" / "specimen" / "report.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = report["findings"]
    return found


def r_at(rows: list[dict[str, Any]], lag: float) -> float:
    return next(float(row["r"]) for row in rows if row["lag_s"] == lag)


def test_what_the_page_says_of_the_specimen_is_within_5_percent(findings: dict[str, Any]) -> None:
    classes, lags = findings["step_phases"]["classes"], findings["lag_structure"]
    buckets, waits = findings["decode_under_prefill"]["rows"], findings["arrival_wait"]["rows"]
    rate = findings["pending"]["rate_tok_s"]["value"]
    said = {
        "decode-only step": [classes["decode"]["mean_s"]["value"] * 1000],
        "step with a chunk": [classes["chunk"]["mean_s"]["value"] * 1000],
        "chunk steps, of steps": [classes["chunk"]["share_of_steps"] * 100],
        "chunk steps, of step time": [classes["chunk"]["share_of_time"] * 100],
        "decode-only steps, of steps": [classes["decode"]["share_of_steps"] * 100],
        "a stream while prefill is pending": [rate],
        'the same, "per stream"': [rate],
        "median above 5,000 prefill tok/s": [buckets[-1]["per_stream_tok_s"]["value"]],
        "correlation at lag 0": [r_at(lags["visible"]["rows"], 0), r_at(lags["rows"], 0)],
        "correlation from 30 s on": [r_at(lags["visible"]["rows"], 30), r_at(lags["rows"], 30)],
        "time to first token, p90": [waits[0]["p90_s"]["value"], waits[-1]["p90_s"]["value"]],
    }
    for start, true in said.items():
        assert numbers_in(row_of(start)[2]) == pytest.approx(true, rel=0.05), start


def test_the_meter_and_the_preemptions_are_the_specimens(findings: dict[str, Any]) -> None:
    last = findings["protection_meter"]["by_boot"][-1]
    assert (last["state"], numbers_in(row_of("held steps in the last boot")[2])[0]) == ("zero", last["held"])
    told = numbers_in(row_of("preemptions")[2])[:2]
    assert told == [findings["preemptions"]["total"], findings["preemptions"]["most_in_120_s"]]


@pytest.mark.parametrize("held", [1, 2, 8])
def test_the_ladder_of_the_page_is_the_accounts_and_the_specimens(
    held: int, findings: dict[str, Any]
) -> None:
    _, _, founding, by_form, priced, _, stretch = (numbers_in(part) for part in row_of(str(held)))
    rung = next(row for row in findings["ladder"]["rows"] if row["n"] == held)
    assert founding == [round(13 * (held + 1) * 166 / (166 + held * 15.5), 1)]
    assert by_form == pytest.approx([rung["naive_tok_s"]], rel=0.01)
    assert priced == pytest.approx([rung["pending_tok_s"]], rel=0.01)
    assert stretch == pytest.approx([rung["stretch"]], rel=0.01)


def test_the_shares_that_the_account_slips_on_follow_from_its_own_costs() -> None:
    chunk = 0.047
    decode = 1 - chunk
    assert round(100 * decode, 1) == 95.3
    assert "force 95.3 % of the steps" in row_of("decode-only steps, of steps")[3]


def test_the_accounts_69_at_8_needs_another_rate() -> None:
    assert round(13.4 * 9 * 166 / (166 + 8 * 15.5)) == 69
    assert round(13.0 * 9 * 166 / (166 + 8 * 15.5)) == 67
