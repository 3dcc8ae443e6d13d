"""Declares how deletions, retention and datasets remove rows of each table.

The columns of the tables are in ``schema``. A table that is missing here makes a test fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from spanloom.core.model.upkeep import Kind


class Expiry(NamedTuple):
    """The retention of a table."""

    column: str
    """The column with the time from which the retention period counts."""
    kind: Kind = Kind.TRAJECTORIES
    """The kind of data, which determines the period."""
    is_by_project: bool = True
    """Whether projects may have shorter periods; otherwise only the TTL removes rows."""


class Arrival(NamedTuple):
    """The columns of a table that the writer's INSERT fills with what arrived."""

    seq: str
    """The sequence of the request."""
    start: str = ""
    """The start of the span; empty if the table has no such column.

    A deletion by start time then hides only the rows of deleted traces.
    """


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the store."""

    name: str
    expiry: Expiry | None
    """``None`` if retention removes no rows: settings, states of the service, and annotations."""
    has_traces: bool = False
    """Whether deleting a trace deletes its rows (``Project``, ``TraceId``)."""
    arrival: Arrival | None = None
    has_kept: bool = False
    """Whether a column ``IsKept`` flags rows as exempt from retention (``keep_annotated``)."""
    dataset: str = ""
    """The column with a dataset's name, for tables whose rows are removed with their dataset."""


_of_traces = partial(Table, has_traces=True)
_spans = partial(Expiry, kind=Kind.SPANS)
_lasting = partial(Table, expiry=None)

TABLES = (
    # The requests come before the spans, which otherwise would count as missing. A TTL may remove
    # the spans first. Until it has removed the requests too, a trace with new arrivals is examined
    # again, at most once a minute.
    _of_traces("trace_requests", _spans("AcceptedAt"), arrival=Arrival("Seq")),
    _of_traces("otel_traces", _spans("AcceptedAt"), arrival=Arrival("Seq", "StartTimeUnixNano")),
    _of_traces("genai_events", _spans("AcceptedAt"), arrival=Arrival("RowVersion")),
    _of_traces("trace_changes", _spans("AcceptedAt"), arrival=Arrival("Seq")),
    # Runs that were built from them, and the progress of building them.
    _of_traces("extraction_progress", Expiry("UpdatedAt", Kind.BOTH)),
    Table("extraction_watermark", Expiry("UpdatedAt", Kind.BOTH, is_by_project=False)),
    _of_traces("trajectories", Expiry("UpdatedAt"), has_kept=True),
    _of_traces("trajectory_builds", Expiry("ReservedAt")),
    _of_traces("trajectory_list", Expiry("UpdatedAt"), has_kept=True),
    _of_traces("trajectory_changes", Expiry("ChangedAt")),
    _of_traces("call_index", Expiry("UpdatedAt")),
    _of_traces("conversation_members", Expiry("UpdatedAt")),
    _of_traces("step_texts", Expiry("UpdatedAt")),
    Table("text_watermark", Expiry("UpdatedAt", is_by_project=False)),
    # Annotations and scores, which nobody can repeat.
    _of_traces("annotations", None),
    _of_traces("scores", None),
    _of_traces("trajectory_snapshots", None),
    _of_traces("annotation_queue_items", None),
    _of_traces("annotation_queue_events", None),
    _lasting("annotation_schemes"),
    _lasting("annotation_queues"),
    # Alerts, online rules and experiments. An event shows that an alert fired for a trace, and was
    # withdrawn when the trace was deleted. ``experiment_runs`` keeps the ids of deleted runs.
    _lasting("alerts"),
    Table("alert_events", Expiry("StoredAt")),
    _of_traces("alert_evidence", Expiry("StoredAt")),
    Table("alert_deliveries", Expiry("StoredAt")),
    _lasting("online_rules"),
    _lasting("online_walks"),
    _of_traces("online_work", Expiry("UpdatedAt")),
    _lasting("follower_places"),
    _lasting("evaluators"),
    _lasting("experiments"),
    _lasting("experiment_runs"),
    _lasting("experiment_ends"),
    # Datasets, whose contents are copies that stay when their runs are deleted.
    _lasting("dataset_drafts", dataset="Dataset"),
    _lasting("dataset_items", dataset="Dataset"),
    _lasting("dataset_versions", dataset="Dataset"),
    _lasting("dataset_contents", dataset="Dataset"),
    _lasting("datasets", dataset="Name"),
    # Replays, deletions and the service itself. A deletion removes its rows of ``deleted_traces``
    # when it ends; ``workers`` has a TTL of its own.
    Table("replays", Expiry("UpdatedAt", is_by_project=False)),
    Table("replay_parts", Expiry("UpdatedAt", is_by_project=False)),
    _lasting("deletions"),
    _lasting("deleted_traces"),
    _lasting("access_keys"),
    _lasting("saved_views"),
    _lasting("view_defaults"),
    _lasting("workers"),
    _lasting("slice_watermarks"),
    _lasting("schema_migrations"),
    _lasting("store_facts"),
)
"""All tables, in the order in which their rows are removed."""
