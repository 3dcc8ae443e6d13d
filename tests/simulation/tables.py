"""The tables that building runs needs: rows, keys, and the views between the tables.

The names are those of ``storage/schema``. A new table is a row type, a line of ``TABLES`` and, if
the INSERT of spans fills it, an entry in ``OF_SPANS`` and in ``blocks_of``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.simulation.engine import Table

from spanloom.core.coverage import number_of
from spanloom.core.model.span import TraceKey  # noqa: TC001  # a field of named tuples
from spanloom.core.ports.calls import Call  # noqa: TC001  # the same

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from spanloom.core.model.span import Span

    Blocks: TypeAlias = list[tuple[str, Sequence[object]]]

OPEN_BELOW = 2**50
"""The amount by which the rank of a span's open copy is lower than its sequence."""


class SpanRow(NamedTuple):
    """A row of ``otel_traces``."""

    key: TraceKey
    span: Span
    rank: int
    accepted_ns: int


class Change(NamedTuple):
    """A row of ``trace_changes``."""

    key: TraceKey
    seq: int
    accepted_ns: int
    has_root: bool
    spans: int
    inserted_ns: int

    @property
    def second(self) -> int:
        return self.inserted_ns // 10**9


class RequestRow(NamedTuple):
    """A row of ``trace_requests``."""

    key: TraceKey
    seq: int
    mark: int
    spans: int
    finished: Sequence[int]
    opened: Sequence[int]
    accepted_ns: int

    @property
    def place(self) -> tuple[TraceKey, int, int]:
        return self.key, self.seq, self.mark


class ProgressRow(NamedTuple):
    """A row of ``extraction_progress``."""

    key: TraceKey
    seq: int
    status: str
    attempts: int
    arrived: int
    error: str
    requests: int
    digest: int
    is_whole: bool


class RunRow(NamedTuple):
    """A row of ``trajectories``."""

    key: TraceKey
    version: int
    seq: int
    newest_seq: int
    read_mark: str
    status: str
    extractor_version: str
    fingerprint: str
    start_ns: int
    before: Sequence[int]
    step_ids: Sequence[str]
    span_count: int
    document: bytes


class BuildRow(NamedTuple):
    """A row of ``trajectory_builds``, in the order of ``ledger.COLUMNS``."""

    key: TraceKey
    rank: int
    version: int
    builder: int
    fingerprint: str
    read_mark: str
    status: str
    extractor_version: str
    start_ns: int
    reserved_ns: int


class ListRow(NamedTuple):
    """A row of ``trajectory_list``."""

    key: TraceKey
    start_ns: int
    seq: int
    is_deleted: bool
    version: int
    status: str
    span_count: int


class CallRow(NamedTuple):
    """A row of ``call_index``."""

    call: Call
    seq: int
    version: int


class Told(NamedTuple):
    """A row of ``trajectory_changes``."""

    key: TraceKey
    version: int
    status: str
    start_ns: int
    is_judgement: bool
    writer: int
    number: int
    is_repeated: bool
    changed_us: int


class Mark(NamedTuple):
    """A row of ``extraction_watermark``, or of ``slice_watermarks``."""

    second: int
    updated_ns: int
    number: int = 0


class Beat(NamedTuple):
    """A row of ``workers``."""

    kind: str
    worker: str
    release: str
    seen_ns: int
    is_over: bool


TABLES = (
    Table("otel_traces", lambda r: (r.key, r.span.span_id), lambda r: r.rank, may_lag=True),
    Table("trace_changes", may_lag=True),
    Table("trace_requests", lambda r: r.place, may_lag=True),
    Table("extraction_progress", lambda r: r.key, lambda r: r.seq),
    Table("extraction_watermark", lambda _: 0, lambda r: r.updated_ns),
    Table("slice_watermarks", lambda r: r.number, lambda r: r.updated_ns),
    Table("workers", lambda r: (r.kind, r.worker), lambda r: r.seen_ns),
    Table("trajectory_builds", lambda r: (r.key, r.rank, r.version, r.builder)),
    Table("trajectories", lambda r: r.key, lambda r: r.seq),
    Table(
        "trajectory_list",
        lambda r: (r.key.project, r.start_ns, r.key.trace_id),
        lambda r: r.seq,
        lambda r: r.is_deleted,
    ),
    Table("call_index", lambda r: (r.call.key, r.call.call_key, r.call.step_id)),
    Table("trajectory_changes"),
)


def changes_of(spans: Sequence[SpanRow], began_ns: int) -> Iterator[Change]:
    """Yield the rows of ``trace_changes_writer``: one per trace and request of an INSERT."""
    for key, seq in dict.fromkeys((row.key, row.span.row_version) for row in spans):
        own = [row for row in spans if (row.key, row.span.row_version) == (key, seq)]
        has_root = any(not row.span.parent_span_id for row in own)
        yield Change(key, seq, max(r.accepted_ns for r in own), has_root, len(own), began_ns)


def requests_of(spans: Sequence[SpanRow]) -> Iterator[RequestRow]:
    """Yield the rows of ``trace_requests_writer``: one per trace and request of an INSERT."""
    for key, seq in dict.fromkeys((row.key, row.span.row_version) for row in spans):
        own = [row for row in spans if (row.key, row.span.row_version) == (key, seq)]
        mark = sum(hash((row.span.span_id, row.rank)) for row in own)
        finished, opened = (
            [number_of(row.span.span_id) for row in own if row.span.is_finished is wanted]
            for wanted in (True, False)
        )
        accepted_ns = max(row.accepted_ns for row in own)
        yield RequestRow(key, seq, mark, len(own), finished, opened, accepted_ns)


OF_SPANS = ("otel_traces", "trace_changes", "trace_requests")
"""The tables that an INSERT of spans fills."""


def blocks_of(spans: Sequence[SpanRow], began_ns: int, order: Sequence[str] = OF_SPANS) -> Blocks:
    """Return the blocks of an INSERT of spans in the order in which they are committed."""
    changes = list(changes_of(spans, began_ns))
    blocks: dict[str, Sequence[object]] = {
        "otel_traces": spans,
        "trace_changes": changes,
        "trace_requests": list(requests_of(spans)),
    }
    return [(name, blocks[name]) for name in order]


def revisit_blocks(keys: Sequence[TraceKey], now_ns: int, mark: int) -> Blocks:
    """Return the blocks of ``revisit_traces.sql`` and ``revisit_changes.sql``, without spans."""
    seq = now_ns // 1000 + mark
    return [
        ("trace_requests", [RequestRow(key, seq, mark, 0, (), (), now_ns) for key in keys]),
        ("trace_changes", [Change(key, seq, now_ns, True, 0, now_ns) for key in keys]),
    ]


def rank_of(span: Span) -> int:
    """Return a span's ``RowVersion``: its sequence, lowered for an open copy."""
    seq = span.row_version
    return seq if span.is_finished else max(seq, OPEN_BELOW) - OPEN_BELOW
