"""For extracted captures, the ClickHouse store gives the same answers as the one in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.calls import windows
from tests.support.each_capture import spread
from tests.support.examples import is_long
from tests.support.ground_truth import all_captures
from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import spooled
from tests.support.same_spans import assert_same_spans

from spanloom.core.duplicates.traces import list_calls
from spanloom.core.extract import extract
from spanloom.core.model.access import Reach
from spanloom.core.model.trajectory import Status
from spanloom.extractor.batch import build_batch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.support.ground_truth import Capture

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.calls import Call
    from spanloom.core.ports.spans import SpooledRequest
    from spanloom.core.ports.store import Store
    from spanloom.core.query.shapes import RunShape
    from spanloom.storage.store import ClickHouseStore

DIALECTS = sorted({capture.dialect for capture in all_captures()})
AT_ONCE = 6
GROUPS = [DIALECTS[at : at + AT_ONCE] for at in range(0, len(DIALECTS), AT_ONCE)]
"""Several dialects share a test, as most of its time is spent per statement, not per row."""
DAY_NS = 24 * 3600 * 10**9


def answers(store: Store, keys: Sequence[TraceKey], calls: Sequence[Call]) -> dict[str, object]:
    """Return what each read of a store gives for extracted traces with these model calls."""
    reach = Reach.only(keys[0].project)
    call_keys = sorted({call.call_key for call in calls})
    heads = store.trajectories.heads(keys)
    until_ns = max((call.end_ns for call in calls), default=0)
    return {
        "documents": {key: store.documents.both(key.trace_id, reach) for key in keys},
        "document alone": store.documents.get(keys[0].trace_id, reach),
        "spans alone": store.documents.spans(keys[0].trace_id, reach),
        "steps": list(store.steps.list(reach, None, 10_000)),
        "list": list(store.runs.list(reach, None, 1000)),
        "shapes": _by_trace(store.stats.shapes(reach, None, 1000)),
        "calls": sorted(
            store.calls.find(keys[0].project, windows(call_keys, 0, until_ns)),
            key=lambda call: (call.key, call.step_id),
        ),
        "heads": {
            key: (head.version, head.fingerprint, head.start_ns, sorted(head.step_ids))
            for key, head in heads.items()
        },
    }


def _by_trace(shapes: Sequence[RunShape]) -> dict[str, object]:
    return {shape.trace_id: _comparable(shape) for shape in shapes}


def _comparable(shape: RunShape) -> tuple[object, ...]:
    """Return a shape without values that need nanoseconds, which a document lacks.

    These are times, and the transitions, as they depend on the order within a millisecond.
    """
    counts = {name: value for name, value in shape.numbers.items() if name not in _TIMES}
    return (
        *(shape.project, shape.trace_id, shape.conversation, shape.item, shape.outcome),
        *map(sorted, (shape.tools, shape.tools_again, shape.agents)),
        *(sorted(shape.handoffs), sorted(shape.failures)),
        counts,
    )


_TIMES = frozenset({"duration", "model_time", "tool_time", "first_token"})


def extracted(store: Store, requests: Sequence[SpooledRequest]) -> dict[str, list[TraceKey]]:
    """Store requests, build their trajectories, and return the traces of each project."""
    store.spans.append(requests)
    traces: dict[str, list[TraceKey]] = {request.project: [] for request in requests}
    for key in sorted(c.key for c in store.progress.unextracted() if c.key.project in traces):
        traces[key.project].append(key)
    assert build_batch(store, settled(traces)).failures == {}
    return traces


def settled(traces: Mapping[str, Sequence[TraceKey]]) -> dict[TraceKey, Status]:
    return dict.fromkeys([key for keys in traces.values() for key in keys], Status.SETTLED)


def built_calls(store: Store, keys: Sequence[TraceKey]) -> list[Call]:
    found = [
        c
        for key, spans in store.spans.read_spans(keys).items()
        for c in list_calls(extract(key, spans))
    ]
    return sorted(found, key=lambda call: (call.key, call.step_id))


def stored_calls(store: Store, keys: Sequence[TraceKey], built: Sequence[Call]) -> list[Call]:
    call_keys = sorted({call.call_key for call in built})
    found = store.calls.find(keys[0].project, windows(call_keys, 0, 2**64 - 1))
    return sorted(found, key=lambda call: (call.key, call.step_id))


def captures_of(dialect: str) -> Sequence[Capture]:
    """Return all captures of a dialect in the profile ``long``, by default a sample."""
    own = [capture for capture in all_captures() if capture.dialect == dialect]
    return own if is_long() else spread(own, 2)


@pytest.mark.parametrize("dialects", GROUPS, ids="-".join)
def test_recorded_runs_are_answered_alike(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str], dialects: Sequence[str]
) -> None:
    """Captures of several dialects are stored and built together, each dialect in a project."""
    projects, memory = {dialect: new_project() for dialect in dialects}, MemoryStore()
    requests = [
        spooled(body, project)
        for dialect, project in projects.items()
        for capture in captures_of(dialect)
        for body in capture.requests()
    ]
    traces = extracted(memory, requests)
    assert extracted(clickhouse_store, requests) == traces
    for keys in traces.values():
        assert_same_spans(clickhouse_store.spans, memory.spans, keys)
        built = built_calls(memory, keys)
        assert answers(clickhouse_store, keys, built) == answers(memory, keys, built)
        assert stored_calls(clickhouse_store, keys, built) == built
    assert not build_batch(clickhouse_store, settled(traces)).written
