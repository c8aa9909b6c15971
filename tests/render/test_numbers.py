"""How numbers are written, and the laws that every written number keeps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from census.model.estimate import Absent, Estimate
from census.model.findings import QuantileBound, Range, ShareRange
from census.render import numbers
from census.render.names import at_prefill, labelled, quantity
from census.render.numbers import BARE, MILLISECONDS, PERCENT, SECONDS, TOKEN_RATE


def reading(value: float, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(value=value, low=low, high=high, level=0.95, n=10, unit="s", method="measured")


@pytest.mark.parametrize(
    ("estimate", "unit", "written"),
    [
        pytest.param(reading(0.0155, 0.0154, 0.0156), MILLISECONDS, "15.5 ms [15.4, 15.6]", id="step"),
        pytest.param(reading(0.166, 0.161, 0.171), MILLISECONDS, "166 ms [161, 171]", id="chunk step"),
        pytest.param(reading(13.0, 12.4, 13.7), TOKEN_RATE, "13.0 tok/s [12.4, 13.7]", id="width 1.3"),
        pytest.param(reading(13.0, 8.0, 30.0), TOKEN_RATE, "13 tok/s [8, 30]", id="wide"),
        pytest.param(reading(0.376, 0.34, 0.41), PERCENT, "38 % [34, 41]", id="share"),
        pytest.param(reading(-0.71, -0.74, -0.68), PERCENT, "−71 % [−74, −68]", id="true minus sign"),
        pytest.param(
            reading(15498.2, 15498.1, 15498.3), BARE, "15,498 [15,498, 15,498]", id="five digits at most"
        ),
        pytest.param(reading(0.0, 0.0, 0.0), TOKEN_RATE, "0 tok/s [0, 0]", id="zero is zero"),
        pytest.param(reading(-0.004, -0.6, 0.6), PERCENT, "0 % [−60, 60]", id="the interval doubts it all"),
        pytest.param(reading(0.0155), MILLISECONDS, "15.5 ms", id="no interval"),
        pytest.param(reading(0.04731), PERCENT, "4.7 %", id="share without interval"),
    ],
)
def test_digits_follow_the_width_of_the_interval(
    estimate: Estimate, unit: numbers.Unit, written: str
) -> None:
    assert numbers.full(estimate, unit) == written


def test_an_absent_reading_says_so_with_its_reason() -> None:
    assert numbers.told(Absent("no decode step"), SECONDS) == "absent: no decode step"


@pytest.mark.parametrize(
    ("bound", "written", "bucket"),
    [
        pytest.param(QuantileBound(value=None, low=0.0, high=0.01), "<= 10 ms", "", id="first bucket"),
        pytest.param(QuantileBound(value=None, low=15.0, high=None), "> 15 s", "", id="overflow bucket"),
        pytest.param(QuantileBound(value=18.0, low=10.0, high=20.0), "18.0 s", "10 to 20 s", id="inside"),
        pytest.param(
            QuantileBound(value=0.4545, low=0.0, high=0.5), "0.45 s", "0 to 0.5 s", id="fine bucket"
        ),
        pytest.param(None, "no requests", "", id="no requests"),
    ],
)
def test_a_quantile_is_written_with_the_bounds_it_has(
    bound: QuantileBound | None, written: str, bucket: str
) -> None:
    assert (numbers.quantile(bound), numbers.quantile_bounds(bound)) == (written, bucket)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.9998, "> 99.9 %"),
        (0.0001, "< 0.1 %"),
        (0.155, "15.5 %"),
        (0.047, "4.7 %"),
    ],
)
def test_a_share_that_is_not_whole_is_never_written_as_none_or_all(value: float, written: str) -> None:
    assert numbers.share(value) == written


def test_a_share_off_a_bucket_edge_is_a_range() -> None:
    assert numbers.share_range(ShareRange(low=0.16, high=0.16)) == "16.0 %"
    assert numbers.share_range(ShareRange(low=0.10, high=0.16)) == "10.0 to 16.0 %"


@pytest.mark.parametrize(
    ("bounds", "written"),
    [
        (Range(low=1.0, high=1.0), "1.00"),
        (Range(low=126.4, high=129.7), "126.4 to 129.7"),
        (Range(low=12.4, high=13.8), "12.4 to 13.8"),
        (Range(low=1.9, high=None), "1.90 and more"),
    ],
)
def test_a_computed_range_is_written_as_one(bounds: Range, written: str) -> None:
    assert numbers.span_of(bounds, BARE) == written


@pytest.mark.parametrize(
    ("low", "high", "name", "short", "place"),
    [
        (0.0, 0.0, "none", "0", "with no prefill"),
        (0.0, 500.0, "under 500", "< 500", "below 500 prefill tok/s"),
        (500.0, 1000.0, "500 to 1,000", "500–1k", "at 500 to 1,000 prefill tok/s"),
        (1000.0, 2500.0, "1,000 to 2,500", "1–2.5k", "at 1,000 to 2,500 prefill tok/s"),
        (5000.0, None, "5,000 and more", "≥ 5k", "at 5,000 or more prefill tok/s"),
    ],
)
def test_a_bucket_has_a_name(low: float, high: float | None, name: str, short: str, place: str) -> None:
    assert (numbers.bucket(low, high), numbers.bucket_short(low, high), at_prefill(low, high)) == (
        name,
        short,
        place,
    )


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (61.2, "61.2 s"),
        (105.0, "105 s"),
        (720.0, "12 min"),
        (3600.0, "1.0 h"),
        (124920.0, "34.7 h"),
        (0.25, "0.25 s"),
    ],
)
def test_a_length_of_time_is_in_the_unit_a_reader_would_use(seconds: float, written: str) -> None:
    assert numbers.span(seconds) == written


@pytest.mark.parametrize(
    ("key", "value", "written"),
    [
        ("naive_step_s", 0.0226, ("naive step", "22.6 ms")),
        ("longest_blind_s", 315.0, ("longest blind", "315 s")),
        ("true_tok_s", 666.66, ("true", "666.7 tok/s")),
        ("hit_share", 0.95, ("hit share", "95.0 %")),
        ("resets", 3, ("resets", "3")),
        ("increase", -810, ("increase", "−810")),
        ("accepted", False, ("accepted", "no")),
        ("true_share", None, ("true share", "not known")),
        ("metric", "vllm:x_s", ("metric", "vllm:x_s")),
    ],
)
def test_an_evidence_row_is_shown_in_the_unit_that_its_key_names(
    key: str, value: object, written: tuple[str, str]
) -> None:
    assert (labelled(key), quantity(key, value)) == written


finite = st.floats(min_value=-1e9, max_value=1e9, allow_nan=False)


@given(value=finite, below=st.floats(0, 1e6), above=st.floats(0, 1e6))
def test_a_written_value_never_leaves_its_written_interval(value: float, below: float, above: float) -> None:
    estimate = reading(value, value - below, value + above)
    number = float(numbers.point(estimate, BARE).replace(",", "").replace("−", "-"))
    low, high = (
        float(end.replace("−", "-"))
        for end in numbers.ends(estimate, BARE)[1:-1].replace(", ", "|").replace(",", "").split("|")
    )
    assert low <= number <= high


@given(value=finite)
def test_no_number_is_written_as_minus_zero_or_in_another_alphabet(value: float) -> None:
    written = numbers.plain(value, BARE)
    assert set(written) <= set("0123456789.,−")
    assert not (written.startswith("−") and float(written[1:].replace(",", "")) == 0)
