"""A malformed request is rejected for good, and the rest of its batch can still be stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.otlp_requests import message_of, next_seq, spooled, wire_span

from spanloom.core.errors import StoreRejectedError
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.spans import SpooledRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.storage.store import ClickHouseStore

BODY = message_of([wire_span("ab" * 16, 1, attributes={"text": "x", "n": 7})]).SerializeToString()


@given(length=st.integers(1, len(BODY) - 1))
@settings(
    max_examples=examples(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_request_cut_short_is_refused(clickhouse_store: ClickHouseStore, length: int) -> None:
    with pytest.raises(StoreRejectedError):
        clickhouse_store.spans.append([SpooledRequest(next_seq(), "cut", 1, BODY[:length], 1)])


def test_a_refused_batch_can_be_stored_in_parts(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    key = TraceKey(new_project(), "cd" * 16)
    good = [spooled(message_of([wire_span(key.trace_id, n)]), key.project) for n in (1, 2, 3)]
    poison = SpooledRequest(next_seq(), key.project, 1, b"\x0a\x7fshort", 1)
    with pytest.raises(StoreRejectedError):
        clickhouse_store.spans.append([*good[:2], poison, good[2]])
    clickhouse_store.spans.append(good)
    assert len(clickhouse_store.spans.read_spans([key])[key]) == 3
