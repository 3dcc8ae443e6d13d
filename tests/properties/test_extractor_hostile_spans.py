"""Trajectories of any spans can be stored, so that one trace never stops the others."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.memory_spans import MemorySpans
from tests.support.memory_store import MemoryStore
from tests.support.memory_trajectories import MemoryTrajectories
from tests.support.span_strategies import traces

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.spans import Traces
from spanloom.extractor.batch import build_batch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tests.support.memory_state import MemoryState

    from spanloom.core.model.span import Span
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.storage.store import ClickHouseStore


class GivenSpans(MemorySpans):
    """A store of spans that returns the given ones."""

    given: Mapping[TraceKey, list[Span]]

    def read_spans(self, keys: Sequence[TraceKey]) -> Traces:
        return Traces({key: self.given[key] for key in keys})


class Noting(MemoryTrajectories):
    """A store of trajectories that only remembers the records it is given."""

    def __init__(self, state: MemoryState) -> None:
        super().__init__(state)
        self.records: list[TrajectoryRecord] = []

    def write(self, records: Sequence[TrajectoryRecord]) -> AbstractSet[TraceKey]:
        self.records += records
        return {record.key for record in records}


@given(st.lists(traces(max_size=8), min_size=1, max_size=6))
@settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
def test_any_trajectory_can_be_stored(
    clickhouse_store: ClickHouseStore, found: list[list[Span]]
) -> None:
    project = f"p-{secrets.token_hex(4)}"
    given_spans = {TraceKey(project, f"{n:032x}"): spans for n, spans in enumerate(found, 1)}
    store = MemoryStore()
    spans = store.spans = GivenSpans(store.state)
    spans.given = given_spans
    noting = store.trajectories = Noting(store.state)
    result = build_batch(store, dict.fromkeys(given_spans, Status.SETTLED))
    assert not result.failures
    assert result.written == set(given_spans)
    clickhouse_store.trajectories.write(noting.records)
    for record in noting.records:
        stored = clickhouse_store.documents.get(record.key.trace_id, Reach.only(project))
        assert stored == record.document
