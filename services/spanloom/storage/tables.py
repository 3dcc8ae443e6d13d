"""Declares what removes the rows of each table; the columns of the tables are in ``schema``.

Deletions, retention and datasets follow from it. A table that is missing here makes a test fail.
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
    """``None`` if retention removes no rows: settings, and work of people that none can repeat."""
    has_traces: bool = False
    """Whether deleting a trace deletes its rows (``Project``, ``TraceId``)."""
    arrival: Arrival | None = None
    has_project: bool = True
    """Whether projects may have shorter retention periods; otherwise only the TTL removes rows."""
    has_kept: bool = False
    """Whether a column ``IsKept`` flags rows as exempt from retention (``keep_annotated``)."""
    dataset: str = ""
    """The column with a dataset's name, for tables whose rows are removed with their dataset."""


_of_traces = partial(Table, has_traces=True)
_spans = partial(Expiry, kind=Kind.SPANS)
_settings = partial(Table, expiry=None)

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
    Table("extraction_watermark", Expiry("UpdatedAt", Kind.BOTH), has_project=False),
    _of_traces("trajectories", Expiry("UpdatedAt"), has_kept=True),
    _of_traces("trajectory_builds", Expiry("ReservedAt")),
    _of_traces("trajectory_list", Expiry("UpdatedAt"), has_kept=True),
    _of_traces("trajectory_changes", Expiry("ChangedAt")),
    _of_traces("call_index", Expiry("UpdatedAt")),
    _of_traces("conversation_members", Expiry("UpdatedAt")),
    _of_traces("step_texts", Expiry("UpdatedAt")),
    Table("text_watermark", Expiry("UpdatedAt"), has_project=False),
    # Annotations and scores.
    _of_traces("annotations", None),
    _of_traces("scores", None),
    _of_traces("trajectory_snapshots", None),
    _of_traces("annotation_queue_items", None),
    _of_traces("annotation_queue_events", None),
    _settings("annotation_schemes"),
    _settings("annotation_queues"),
    # Alerts, online rules and experiments. An event shows that an alert fired for a trace, and was
    # withdrawn when the trace was deleted.
    _settings("alerts"),
    Table("alert_events", Expiry("StoredAt")),
    _of_traces("alert_evidence", Expiry("StoredAt")),
    Table("alert_deliveries", Expiry("StoredAt")),
    _settings("online_rules"),
    _settings("online_walks"),
    _of_traces("online_work", Expiry("UpdatedAt")),
    _settings("follower_places"),
    _settings("evaluators"),
    _settings("experiments"),
    _settings("experiment_runs"),
    _settings("experiment_ends"),
    # Datasets, whose contents are copies that stay when their runs are deleted.
    _settings("dataset_drafts", dataset="Dataset"),
    _settings("dataset_items", dataset="Dataset"),
    _settings("dataset_versions", dataset="Dataset"),
    _settings("dataset_contents", dataset="Dataset"),
    _settings("datasets", dataset="Name"),
    # Replays, deletions and the service itself.
    Table("replays", Expiry("UpdatedAt"), has_project=False),
    Table("replay_parts", Expiry("UpdatedAt"), has_project=False),
    _settings("deletions"),
    _settings("deleted_traces"),
    _settings("access_keys"),
    _settings("saved_views"),
    _settings("view_defaults"),
    _settings("workers"),
    _settings("slice_watermarks"),
    _settings("schema_migrations"),
    _settings("store_facts"),
)
"""All tables, in the order in which their rows are removed."""
