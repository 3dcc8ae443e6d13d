"""The bundled demo run is complete, and each time it is shown it is a new run."""

from __future__ import annotations

from importlib.resources import files
from itertools import count
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.demo.examples import Example, make_examples
from spanloom.demo.recording import Recording, load_recording, refresh

if TYPE_CHECKING:
    from collections.abc import Iterator


def _refreshed(end_ns: int) -> Recording:
    numbers = count(1)
    return refresh(load_recording(), end_ns, lambda size: next(numbers).to_bytes(size, "big"))


def _spans(recording: Recording) -> list[tuple[bytes, bytes, bytes, int, int]]:
    return [
        (
            span.trace_id,
            span.span_id,
            span.parent_span_id,
            span.start_time_unix_nano,
            span.end_time_unix_nano,
        )
        for request in recording.requests
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def test_the_recording_is_whole() -> None:
    recording = load_recording()
    size = len(files("spanloom.demo").joinpath("recording.binpb").read_bytes())
    assert sum(request.ByteSize() for request in recording.requests) == size
    assert (len(recording.requests), recording.span_count) == (8, 47)


def test_ids_are_new_and_parents_still_match() -> None:
    before, after = _spans(load_recording()), _spans(_refreshed(10**18))
    old_ids = {span_id for _, span_id, *_ in before}
    new_ids = {span_id for _, span_id, *_ in after}
    assert len(new_ids) == len(old_ids)
    assert not new_ids & old_ids
    assert len({trace for trace, *_ in after}) == 1
    renamed = {old[1]: new[1] for old, new in zip(before, after, strict=True)} | {b"": b""}
    assert [renamed[old[2]] for old in before] == [new[2] for new in after]


def test_times_end_now_and_durations_stay() -> None:
    before, after = _spans(load_recording()), _spans(_refreshed(10**18))
    assert max(end for *_, end in after) == 10**18
    shifts = {new[3] - old[3] for old, new in zip(before, after, strict=True)}
    assert len(shifts) == 1
    assert [end - start for *_, start, end in before] == [end - start for *_, start, end in after]


def test_the_original_is_left_alone() -> None:
    recording = load_recording()
    trace_id = recording.trace_id
    fresh = refresh(recording, 10**18, lambda size: b"\x01" * size)
    assert recording.trace_id == trace_id != fresh.trace_id


MINUTE_NS = 60 * 10**9


def test_example_runs_have_new_ids_each_minute() -> None:
    at = 30_000_000 * MINUTE_NS
    first, again, later = (make_examples(at + after) for after in (0, 1, MINUTE_NS))
    ids = [{one.trace_id for one in examples} for examples in (first, again, later)]
    assert ids[0] == ids[1]
    assert not ids[0] & ids[2]
    assert len(ids[0]) == len(first)
    for one in first:
        spans = list(spans_in(one))
        assert {span["traceId"] for span in spans} == {one.trace_id}
        known = {span["spanId"] for span in spans}
        above = [span["parentSpanId"] for span in spans if span.get("parentSpanId")]
        assert len(above) == len(spans) - 1, "one root, and all others below spans that are there"
        assert known.issuperset(above)


def spans_in(example: Example) -> Iterator[dict[str, Any]]:
    for group in map(orjson.loads, example.groups):
        for scope_spans in group["scopeSpans"]:
            yield from scope_spans["spans"]
