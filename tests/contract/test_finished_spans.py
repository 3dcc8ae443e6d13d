"""A finished span is never replaced by an unfinished copy, in any order of arrival."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.contract.test_deletions import deletion
from tests.support.otlp_requests import START_NS, message_of, next_seq, spooled, wire_span
from tests.support.span_store import names

from spanloom.core.model.access import Reach
from spanloom.core.model.upkeep import DeletionScope
from spanloom.extractor.span_cap import read_traces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.spans import SpooledRequest
    from spanloom.core.ports.store import Store
    from spanloom.storage.store import ClickHouseStore


class Copy(NamedTuple):
    """A version of a span that is sent in a request of its own."""

    name: str
    end_ns: int = START_NS + 1000
    start_ns: int = START_NS


OPEN, GROWN = Copy("open", 0), Copy("grown", 0)
BACKWARDS = Copy("backwards", START_NS - 5)
DONE, AGAIN = Copy("done"), Copy("again")
AT_ONCE = Copy("at once", START_NS)
OTHER_MONTH = Copy("other month", 0, START_NS + 40 * 24 * 3600 * 10**9)
SENT: dict[str, tuple[Sequence[Copy], str]] = {
    "snapshot after the end": ([OPEN, DONE, GROWN], "done"),
    "several open": ([OPEN, GROWN], "grown"),
    "finished twice": ([DONE, OPEN, AGAIN, GROWN], "again"),
    "ends before it starts": ([DONE, BACKWARDS], "done"),
    "open ones in turn": ([OPEN, BACKWARDS], "backwards"),
    "without duration": ([AT_ONCE, OPEN], "at once"),
    "in another month": ([DONE, OTHER_MONTH], "done"),
}
"""For each case, copies of a span by sequence number, and the name of the one that counts."""


def request_of(key: TraceKey, copy: Copy, after: int = 0) -> SpooledRequest:
    span: WireSpan = wire_span(key.trace_id, 1, name=copy.name, start_ns=copy.start_ns)
    span.end_time_unix_nano = copy.end_ns
    return spooled(message_of([span]), key.project, max(next_seq(), after + 1))


def shown(store: Store, key: TraceKey) -> set[str]:
    """Return the span names that the different reads of a trace return."""
    sent = store.spans.read_otlp(key)
    otlp = [copy.name for copy in EVERY if copy.name.encode() in sent]
    part = store.spans.read_part(key, 10)
    return {*names(store.spans.read_spans([key])[key]), *names(part.spans), *otlp}


EVERY = (OPEN, GROWN, BACKWARDS, DONE, AGAIN, AT_ONCE, OTHER_MONTH)


@pytest.mark.parametrize("case", SENT)
def test_the_finished_span_stays_in_whatever_order_its_copies_come(
    store: Store, key: TraceKey, case: str
) -> None:
    copies, last = SENT[case]
    orders = list(permutations(range(len(copies))))
    for turn, order in enumerate(orders if len(orders) < 7 else orders[::6]):
        own = key._replace(trace_id=f"{turn + 1:032x}")
        requests = [request_of(own, copy) for copy in copies]
        for at in order:
            store.spans.append([requests[at]])
        assert shown(store, own) == {last}, order


def test_it_stays_after_a_merge_and_the_trace_is_known_to_be_read(
    clickhouse_store: ClickHouseStore, key: TraceKey
) -> None:
    """Copies that a merge has removed count as read; otherwise the trace would be due for ever.

    A copy that is never used changes no document, whether a build has read it or not.
    """
    worker = clickhouse_store.connections.worker
    requests = [request_of(key, copy) for copy in (OPEN, DONE, GROWN)]
    for request in requests:
        clickhouse_store.spans.append([request])
    before = clickhouse_store.spans.read_part(key, 1)
    worker.run("OPTIMIZE TABLE otel_traces FINAL")
    assert shown(clickhouse_store, key) == {"done"}
    arrived = clickhouse_store.spans.arrived([key])
    [span] = clickhouse_store.spans.read_spans([key])[key]
    part = read_traces(clickhouse_store.spans, [key], arrived, 1000)[key]
    assert span.row_version == requests[1].seq
    few = read_traces(clickhouse_store.spans, [key], arrived, 1)[key]
    assert (part.is_whole, few.is_whole) == (True, True)
    assert {one.newest_seq for one in (part, few, before)} == {requests[1].seq}


def test_an_open_copy_has_a_lower_rank_and_keeps_its_sequence(
    clickhouse_store: ClickHouseStore, key: TraceKey
) -> None:
    clickhouse_store.spans.append([request_of(key, OPEN)])
    worker = clickhouse_store.connections.worker
    [[rank, seq]] = worker._client.query(
        f"SELECT RowVersion, Seq FROM otel_traces WHERE TraceId = '{key.trace_id}'"
    ).result_rows
    assert rank < seq - 10**15
    [span] = clickhouse_store.spans.read_spans([key])[key]
    assert span.row_version == seq


def test_an_open_copy_that_comes_after_a_deletion_is_no_part_of_it(
    store: Store, key: TraceKey
) -> None:
    """Deletions compare sequence numbers, not the lower rank that an unfinished copy has."""
    store.spans.append([request_of(key, DONE)])
    scope = DeletionScope(Reach.only(key.project), start_before_ns=START_NS + 1)
    until = store.deletions.delete(deletion(scope)).until_seq  # at least the store's newest
    later = key._replace(trace_id="d" * 32)
    store.spans.append([request_of(later, OPEN, until)])
    assert key not in store.spans.read_spans([key, later])
    assert shown(store, later) == {"open"}
