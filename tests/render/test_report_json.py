"""The JSON report: the schema's contract, the model's field names, and no number that is none."""

from __future__ import annotations

import dataclasses
import json
import math
from importlib import resources
from typing import Any

import jsonschema
import numpy as np
import pytest
from census_factory import absent_census, estimate, full_census, hostile_census, several_engines

from census.model import findings as model
from census.model.census import Audits, Census, Provenance, ResolvedName
from census.model.estimate import Absent, Estimate
from census.model.findings import Findings
from census.model.settings import Settings
from census.render.report_json import plain_value, report_document, report_json

SCHEMA: dict[str, Any] = json.loads(
    (resources.files("census.render") / "report.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def key_of(field: str) -> str:
    return {"lambda_": "lambda"}.get(field, field)


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "censuses",
    [
        pytest.param((full_census(),), id="full"),
        pytest.param((absent_census(),), id="absent"),
        pytest.param((hostile_census(),), id="hostile"),
        pytest.param(several_engines(), id="several engines"),
    ],
)
def test_every_report_keeps_to_the_schema(censuses: tuple[Census, ...]) -> None:
    document = json.loads(report_json(censuses))
    assert [error.message for error in VALIDATOR.iter_errors(document)] == []


@pytest.mark.parametrize(
    "kind",
    [
        *(kind for kind in vars(model).values() if dataclasses.is_dataclass(kind) and kind is not Absent),
        Audits,
        Provenance,
        ResolvedName,
        Settings,
    ],
    ids=lambda kind: kind.__name__,
)
def test_the_schema_names_every_field_of_the_model_and_no_other(kind: type) -> None:
    described = SCHEMA["$defs"][snake(kind.__name__)]
    fields = [key_of(field.name) for field in dataclasses.fields(kind)]
    assert list(described["properties"]) == fields
    assert described["required"] == fields
    assert described["additionalProperties"] is False


@pytest.mark.parametrize(
    "key", ["findings", "attribution", "boots", "caveats", "provenance", "window", "audits"]
)
def test_a_report_without_one_of_its_keys_fails_the_schema(key: str) -> None:
    document = report_document((full_census(),))
    del document[key]
    assert not VALIDATOR.is_valid(document)


def test_an_unknown_key_fails_the_schema() -> None:
    document = report_document((full_census(),))
    document["findings"]["ladder"]["extra"] = 1
    assert not VALIDATOR.is_valid(document)


def test_the_keys_are_those_of_the_contract() -> None:
    document = report_document((full_census(),))
    assert list(document) == [
        "schema", "engine", "window", "boots", "findings", "attribution", "audits", "caveats", "provenance",
    ]  # fmt: skip
    assert list(document["findings"]) == [field.name for field in dataclasses.fields(Findings)]
    assert list(document["findings"]["step_phases"]["classes"]) == list(model.STEP_CLASSES)
    assert document["findings"]["ladder"]["inputs"] == {
        "k": 2.16,
        "C": 0.166,
        "D": 0.0155,
        "q": 0.92,
        "s": 0.69,
        "u": {"low": 0.33, "high": 0.52},
        "lambda": 0.62,
        "chunk_tokens": 1920,
    }
    assert document["boots"][1] == {
        "index": 1,
        "start": "2026-10-19T13:00:40Z",
        "end": "2026-10-20T23:59:58Z",
        "start_seen": True,
        "evidence": "9 counters fell together",
    }


def test_several_engines_are_full_reports_in_a_list_and_one_engine_is_itself() -> None:
    one, two = several_engines()
    assert report_document((one, two)) == {
        "schema": "census.report/1",
        "engines": [report_document((one,)), report_document((two,))],
    }


def test_an_absent_finding_is_its_reason_alone() -> None:
    document = report_document((absent_census(),))
    reason = {"absent": "decode_steps: not found; nearest: vllm:request_success_total"}
    assert set(map(str, document["findings"].values())) == {str(reason)}
    assert document["attribution"] == reason


def test_a_reading_has_its_seven_parts() -> None:
    reading = estimate(1 / 3, 0.25, 0.5, n=7)
    assert plain_value(reading, at="x") == {
        "value": 0.333333333333,
        "low": 0.25,
        "high": 0.5,
        "level": 0.95,
        "n": 7,
        "unit": "s",
        "method": "measured: ratio of sums, block bootstrap",
    }


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (2 / 3, 0.666666666667),
        (1234567.890123456, 1234567.89012),
        (108.0, 108),
        (-0.0, 0),
        (1e300, 1e300),
        (np.float64(0.1), 0.1),
        (np.int64(3), 3),
        (True, True),
        (None, None),
        ((1.0, "a"), [1, "a"]),
        (Absent("why"), {"absent": "why"}),
        ("\ud800", "?"),
    ],
)
def test_a_value_is_written_plainly(value: object, written: object) -> None:
    assert plain_value(value, at="x") == written
    assert type(plain_value(value, at="x")) is type(written)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_refused_with_its_place(value: float) -> None:
    with pytest.raises(ValueError, match=r"findings\.x\[1\]"):
        plain_value((0.0, value), at="findings.x")


def test_a_value_that_no_report_holds_is_refused() -> None:
    with pytest.raises(TypeError, match="set"):
        plain_value({"a": {1}}, at="audits")


def test_the_same_census_gives_the_same_bytes_and_label_order_does_not_matter() -> None:
    census = full_census()
    turned = dataclasses.replace(
        census,
        engine=dataclasses.replace(census.engine, labels=dict(reversed(list(census.engine.labels.items())))),
    )
    assert report_json((census,)) == report_json((turned,))


def test_the_timeline_track_is_no_part_of_the_report() -> None:
    census = full_census()
    assert report_json((census,)) == report_json((dataclasses.replace(census, track=None),))


def test_every_reading_of_the_full_report_survives_the_way_there_and_back() -> None:
    document = json.loads(report_json((full_census(),)))
    rates = [row["per_stream_tok_s"] for row in document["findings"]["decode_under_prefill"]["rows"]]
    assert [Estimate(**rate).value for rate in rates] == [139.4, 121, 98, 60, 31, 13]
