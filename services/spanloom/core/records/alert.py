"""The records for an alert and for its events."""

from typing import Annotated, Any

from pydantic import Field

from spanloom.core.records.alert_members import AlertMetric, AlertNotices, AlertWhere
from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, From, Moment
from spanloom.core.records.record import Record

EXAMPLE_ALERT = "unverified refunds"
_ID = "9f2c4a1be07d5c3360f1a2b4c5d6e7f8"
_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


class _NamedAlert(Record):
    name: Annotated[str, Example(EXAMPLE_ALERT)]
    project: Annotated[str, Example("default")]
    version: Annotated[
        int,
        Field(
            description="Grows when the condition changes, but not with other channels or a pause."
        ),
        Example(1),
    ]


# Pydantic takes the fields of the last base first.
class AlertItem(AlertNotices[dict[str, Any]], AlertMetric, AlertWhere, _NamedAlert):
    """An alert: a condition on runs, or a metric with a threshold, and its channels."""

    waits_for_settled: Annotated[
        bool,
        Field(
            description="Whether later spans could make the condition false: then it fires once a "
            "run has settled."
        ),
        From(None),
        Example(True),
    ]
    firing: Annotated[
        int,
        Field(description="Number of runs or groups for which it fires now."),
        From(None),
        Example(1),
    ]
    put_by: Annotated[
        str, Field(description="Who stored it last, as the client named them."), Example("ada")
    ]
    put_at: Annotated[
        Moment,
        Field(description="Milliseconds since the epoch."),
        From(lambda alert: alert.at_us // 1_000),
        Example("1769860800000"),
    ]


class AlertList(Record):
    """The alerts of a project, by name."""

    items: list[AlertItem]


class AlertEvidence(Record):
    """A step that shows why an alert fired."""

    step_id: Annotated[str, Example("00f067aa0ba902b7")]
    name: Annotated[str, Example("refund")]
    type: Annotated[str, Example("tool")]


class AlertDelivery(Record):
    """The delivery of an event to a channel."""

    channel: Annotated[
        str,
        Field(description="Kind and address, without possible secrets."),
        From(None),
        Example("webhook https://hooks.example.com/agents"),
    ]
    state: Annotated[
        str, Field(description="`pending`, `delivered` or `undelivered`."), Example("delivered")
    ]
    tries: Annotated[int, Example(1)]
    at: Annotated[
        Moment | None,
        Field(description="When it was last tried; null if not yet."),
        From(lambda one: one.at_us // 1_000 if one.at_us else None),
        Example("1769860801000"),
    ] = None
    error: Annotated[str, Field(description="Why it failed; otherwise empty."), Example("")]


class AlertEventItem(Record):
    """A change of state of a run or group; events with one `id` have the same run or group."""

    id: Annotated[
        str,
        Field(description="Identifies (alert, version, run), or (alert, version, group, episode)."),
        Example(_ID),
    ]
    number: Annotated[
        int, Field(description="Number of the event among those with its `id`, from 1."), Example(1)
    ]
    alert: Annotated[str, Example(EXAMPLE_ALERT)]
    alert_version: Annotated[int, Example(1)]
    state: Annotated[
        str, Field(description="`firing`, `resolved` or `withdrawn`."), Example("firing")
    ]
    at: Annotated[
        Moment,
        Field(description="Milliseconds since the epoch."),
        From(lambda event: event.at_us // 1_000),
        Example("1769860800000"),
    ]
    project: Annotated[str, Example("default")]
    trace_id: Annotated[
        str | None,
        Field(description="The run; null for a metric."),
        From(lambda event: event.trace_id or None),
        Example(_TRACE),
    ] = None
    version: Annotated[
        int | None,
        Field(description="The version of the run that showed it."),
        From(lambda event: event.version or None),
        Example(2),
    ] = None
    name: Annotated[
        str | None,
        Field(description="Name of the run's root; null once the run is deleted."),
        From(None),
        Example("planner"),
    ] = None
    question: Annotated[
        str | None,
        Field(description="The question of the run."),
        From(None),
        Example("Refund order 7."),
    ] = None
    evidence: Annotated[list[AlertEvidence], Field(description="Steps that show it."), From(None)]
    group: Annotated[
        dict[str, Any] | None,
        Field(description="Values of the fields `by` of a metric."),
        From(None),
    ] = None
    value: Annotated[float | None, Field(description="The value of the metric.")] = None
    threshold: Annotated[
        float | None, Field(description="The threshold of the metric."), From(None)
    ] = None
    window: Annotated[str | None, Field(description="Of the metric."), From(None)] = None
    url: Annotated[
        str,
        Field(description="Address of the run, or of the alert, on the page."),
        From(None),
        Example(f"/trajectories/{_TRACE}?project=default"),
    ]
    reason: Annotated[
        dict[str, Any] | None,
        Field(
            description="Why it was withdrawn: `version` and `late_spans`, or `duplicate_of`, or "
            "`deleted`."
        ),
        From(lambda event: event.reason or None),
    ] = None
    deliveries: Annotated[list[AlertDelivery], Field(description="For each channel."), From(None)]


class AlertEventList(Record):
    """Events of an alert, newest first."""

    items: list[AlertEventItem]
    next_cursor: Annotated[str | None, Field(description="Null on the last page.")] = None


ALERT = Declaration(AlertItem)
ALERT_EVENT = Declaration(AlertEventItem)
