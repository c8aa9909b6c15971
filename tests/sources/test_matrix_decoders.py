"""The fast decoder and the plain one give the same arrays, or say the same thing, whatever comes."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from census.model.window import Window
from census.sources.bulk_matrix import ArraySeries, decode_bulk, join_windows
from census.sources.matrix import Envelope, MatrixShapeError, PlainSeries, decode_plainly, join_plainly

WIDE = Window(start_ms=0, end_ms=10_000_000_000_000)
NO_WORDS = Envelope(warnings=(), partial=False, native=())


def matrix(*rows: str, tail: str = "") -> bytes:
    return (
        '{"status":"success","data":{"resultType":"matrix","result":[' + ",".join(rows) + "]}" + tail + "}"
    ).encode()


def row(labels: str, *samples: str) -> str:
    return '{"metric":' + labels + ',"values":[' + ",".join(f"[{sample}]" for sample in samples) + "]}"


def plain_of(series: list[ArraySeries]) -> list[tuple[dict[str, str], list[int], list[bytes]]]:
    return [
        (dict(one.labels), one.times_ms.tolist(), [np.float64(v).tobytes() for v in one.values])
        for one in series
    ]


def both(body: bytes, window: Window = WIDE) -> tuple[list[ArraySeries], Envelope]:
    """Decode in both ways, hold them equal, and return the fast one's answer."""
    fast, envelope = decode_bulk(body, window=window)
    slow, slow_envelope = decode_plainly(body, window=window)
    again = [
        ArraySeries(
            labels=one.labels, times_ms=np.array(one.times_ms), values=np.array(one.values, dtype=float)
        )
        for one in slow
    ]
    assert plain_of(fast) == plain_of(again)
    assert envelope == slow_envelope
    return fast, envelope


def test_values_and_times_come_bit_for_bit() -> None:
    texts = ["1", "0.1", "-0", "NaN", "+Inf", "-Inf", "5e-324", "1.7976931348623157e+308", "9007199254740993"]
    body = matrix(
        row('{"__name__":"m"}', *(f'{1795827554.173 + 15 * n:.3f},"{text}"' for n, text in enumerate(texts)))
    )
    ((one,), envelope) = both(body)
    assert envelope == NO_WORDS
    assert one.times_ms.tolist() == [1795827554173 + 15_000 * n for n in range(len(texts))]
    assert one.values[:3].tolist() == [1.0, 0.1, 0.0]
    assert math.copysign(1, one.values[2]) == -1
    assert math.isnan(one.values[3])
    assert one.values[4:].tolist() == [
        math.inf,
        -math.inf,
        5e-324,
        1.7976931348623157e308,
        9007199254740992.0,
    ]


def test_labels_may_hold_the_very_texts_that_are_cut_at() -> None:
    nasty = {
        "__name__": "m",
        "a": '{"metric":',
        "b": ',"values":[[',
        "c": '"]]}',
        "d": '],[1,\\"',
        "é": "\n\u2028<",
    }
    body = matrix(
        row(json.dumps(nasty), '1,"2"'), row(json.dumps({"x": '"]]},{"metric":'}), '1,"3"', '2,"4"')
    )
    series, _ = both(body)
    assert [one.labels for one in series] == [nasty, {"x": '"]]},{"metric":'}]
    assert [one.values.tolist() for one in series] == [[2.0], [3.0, 4.0]]


def test_samples_outside_the_window_are_not_ours_and_its_end_is_open() -> None:
    body = matrix(row('{"__name__":"m"}', '0.999,"1"', '1,"2"', '1.999,"3"', '2,"4"'), row("{}", '5,"5"'))
    series, _ = both(body, Window(start_ms=1000, end_ms=2000))
    assert [(one.times_ms.tolist(), one.values.tolist()) for one in series] == [([1000, 1999], [2.0, 3.0])]


def test_the_server_s_words_are_kept() -> None:
    body = matrix(
        row('{"__name__":"m"}', '1,"2"'),
        tail=',"warnings":["store gone"],"infos":["PromQL info: x"]',
    )
    assert both(body)[1] == Envelope(warnings=("store gone", "PromQL info: x"), partial=True, native=())
    annotated = matrix(tail=',"warnings":["PromQL warning: y"]')
    assert both(annotated)[1] == Envelope(warnings=("PromQL warning: y",), partial=False, native=())
    victoria = b'{"status":"success","isPartial":true,"data":{"resultType":"matrix","result":[]}}'
    assert both(victoria)[1] == Envelope(
        warnings=("the server says that its answer is partial",), partial=True, native=()
    )


def test_native_histograms_are_named_and_the_floats_beside_them_read() -> None:
    histogram = '"histograms":[[1,{"count":"3","sum":"1","buckets":[[0,"1","2","3"]]}]]'
    body = matrix(
        '{"metric":{"__name__":"native"},' + histogram + "}",
        '{"metric":{"__name__":"mixed"},"values":[[1,"7"]],' + histogram + "}",
        row('{"__name__":"plain"}', '1,"2"'),
    )
    series, envelope = both(body)
    assert envelope.native == ("mixed", "native")
    assert [(one.labels["__name__"], one.values.tolist()) for one in series] == [
        ("mixed", [7.0]),
        ("plain", [2.0]),
    ]


def test_another_writer_s_blanks_are_read_too() -> None:
    document = {
        "status": "success",
        "data": {
            "resultType": "matrix",
            "result": [{"metric": {"a": "b"}, "values": [[1.5, "2"], [3, "4"]]}],
        },
    }
    ((one,), _) = both(json.dumps(document, indent=2).encode())
    assert (one.times_ms.tolist(), one.values.tolist()) == ([1500, 3000], [2.0, 4.0])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"null",
        b'{"status":"success"}',
        b'{"status":"success","data":{"resultType":"vector","result":[]}}',
        b'{"status":"success","data":{"resultType":"matrix","result":5}}',
        b'{"status":"success","data":{"resultType":"matrix","result":[5]}}',
        matrix(row('{"a":5}', '1,"2"')),
        matrix(row('["a"]', '1,"2"')),
        matrix(row('{"a":"b"}', '1,"two"')),
        matrix(row('{"a":"b"}', '1,"2",3')),
        matrix(row('{"a":"b"}', '1e300,"2"')),
        matrix(row('{"a":"b"}', 'NaN,"2"')),
        matrix(row('{"a":"b"}', '1,"2"'))[:-9],
        b"[" * 100_000,
    ],
)
def test_what_is_no_matrix_is_refused_by_both(body: bytes) -> None:
    with pytest.raises(MatrixShapeError):
        decode_plainly(body, window=WIDE)
    with pytest.raises(MatrixShapeError):
        decode_bulk(body, window=WIDE)


LABELS = st.dictionaries(st.text(max_size=8), st.text(max_size=12), max_size=4)
VALUES = st.one_of(st.floats(allow_nan=True), st.integers(-(2**53), 2**53).map(float))


def go_text(value: float) -> str:
    """Write a value as the server does."""
    if math.isnan(value):
        return "NaN"
    return {math.inf: "+Inf", -math.inf: "-Inf"}.get(value, repr(value))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(LABELS, st.dictionaries(st.integers(0, 4_000_000_000_000), VALUES, min_size=1)), max_size=4
    )
)
def test_any_matrix_is_read_alike_and_exactly(rows: list[tuple[dict[str, str], dict[int, float]]]) -> None:
    body = matrix(
        *(
            row(
                json.dumps(labels, ensure_ascii=False, separators=(",", ":")),
                *(f'{time // 1000}.{time % 1000:03d},"{go_text(samples[time])}"' for time in sorted(samples)),
            )
            for labels, samples in rows
        )
    )
    series, _ = both(body)
    assert [one.times_ms.tolist() for one in series] == [sorted(samples) for _, samples in rows]
    for one, (labels, samples) in zip(series, rows, strict=True):
        assert one.labels == labels
        np.testing.assert_array_equal(one.values, [samples[time] for time in sorted(samples)])


WHOLE = matrix(row('{"__name__":"m","a":"b"}', '1.5,"2"', '3,"NaN"', '4,"5"'), row('{"c":"d"}', '1.5,"2"'))


@settings(max_examples=400, deadline=None)
@given(
    st.integers(0, len(WHOLE)),
    st.integers(0, 12),
    st.one_of(
        st.binary(max_size=6), st.sampled_from([b'"', b"],[", b'"]]}', b'{"metric":', b',"values":[['])
    ),
)
def test_damaged_bytes_never_crash_and_never_differ(place: int, length: int, patch: bytes) -> None:
    body = WHOLE[:place] + patch + WHOLE[place + length :]
    try:
        slow, envelope = decode_plainly(body, window=WIDE)
    except MatrixShapeError:
        slow, envelope = None, None
    try:
        fast, fast_envelope = decode_bulk(body, window=WIDE)
    except MatrixShapeError:
        fast, fast_envelope = None, None
    if slow is None or fast is None:
        assert slow is None and fast is None
        return
    assert [(one.labels, one.times_ms) for one in slow] == [
        (one.labels, one.times_ms.tolist()) for one in fast
    ]
    for one, other in zip(slow, fast, strict=True):
        np.testing.assert_array_equal(one.values, other.values)
    assert envelope == fast_envelope


def piece(times: list[int], values: list[float], **labels: str) -> ArraySeries:
    return ArraySeries(labels=labels, times_ms=np.array(times), values=np.array(values, dtype=float))


def test_windows_join_into_one_series_without_loss_or_doubling() -> None:
    joined, conflicts = join_windows(
        [
            piece([1, 2, 3], [1, 2, 3], a="x"),
            piece([7], [7], a="y"),
            piece([3, 4], [3, 4], a="x"),
            piece([4, 5], [9, math.nan], a="x"),
            piece([5], [math.nan], a="x"),
        ]
    )
    assert conflicts == 1, "at 4 there are two values; the equal ones at 3 and 5 come once"
    assert [(dict(one.labels), one.times_ms.tolist()) for one in joined] == [
        ({"a": "x"}, [1, 2, 3, 4, 5]),
        ({"a": "y"}, [7]),
    ]
    np.testing.assert_array_equal(joined[0].values, [1, 2, 3, 4, math.nan])


def test_the_plain_join_says_the_same() -> None:
    joined, conflicts = join_plainly(
        [
            PlainSeries(labels={"a": "x"}, times_ms=[1, 2], values=[1.0, 2.0]),
            PlainSeries(labels={"a": "x"}, times_ms=[2, 3], values=[5.0, math.nan]),
            PlainSeries(labels={"a": "x"}, times_ms=[3], values=[math.nan]),
        ]
    )
    assert conflicts == 1
    assert (joined[0].times_ms, joined[0].values[:2]) == ([1, 2, 3], [1.0, 2.0])
