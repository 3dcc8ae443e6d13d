"""Request and response models for alerts, and examples of responses."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from spanloom.alerts.condition import RunCondition, condition_of_definition
from spanloom.alerts.definition import AlertDefinition, Channel, read_definition
from spanloom.alerts.payload import number_of, page_of
from spanloom.alerts.service import ListedAlert, ListedEvent
from spanloom.alerts.trial import TrialResult
from spanloom.api.pages import DEFAULT_LIMIT, cursor_field, limit_field
from spanloom.api.query import decode_position, demand, encode_cursor, fingerprint
from spanloom.api.responses import answer
from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.alert import (
    AlertState,
    Delivery,
    DeliveryState,
    EventPlace,
)
from spanloom.core.ports.alerts import EventsQuery
from spanloom.core.query.stats import parse_by
from spanloom.core.query.where.fields import Subject
from spanloom.core.records.alert import (
    ALERT as ALERT_RECORD,
)
from spanloom.core.records.alert import (
    ALERT_EVENT,
    AlertDelivery,
    AlertEventItem,
    AlertEvidence,
    AlertItem,
)
from spanloom.core.records.alert_members import EXAMPLE_LINE
from spanloom.core.records.run import RUN, Run

_HELD = 2**63


class EventsParameters(BaseModel):
    """Which events to list."""

    model_config = ConfigDict(extra="ignore", frozen=True)  # `project` is a separate parameter

    state: Annotated[
        AlertState | None, Field(description="Only in this state.", examples=["firing"])
    ] = None
    current: Annotated[
        bool,
        Field(
            description="Only the last event of each `id`: with `state=firing`, what fires now.",
            examples=[True],
        ),
    ] = False
    limit: Annotated[int, limit_field()] = DEFAULT_LIMIT
    cursor: Annotated[
        str | None, cursor_field(encode_cursor([1769860800000000, "9f2c4a1be07d5c33", 1]))
    ] = None

    @property
    def store_query(self) -> EventsQuery:
        """The parameters as a query to the store."""
        return EventsQuery(self.state, self.current)

    def after(self, name: str) -> EventPlace | None:
        """Return the position after which the page starts; raises ``InvalidQueryError``."""
        if not self.cursor:
            return None
        return decode_position(self.cursor, fingerprint(self, name), _place)

    def cursor_after(self, name: str, event: ListedEvent) -> str:
        """Return the cursor that starts after an event."""
        place = (event.event.at_us, event.event.id, event.event.number)
        return encode_cursor(place, fingerprint(self, name))


def _place(at_us: object, event_id: object, number: object) -> EventPlace:
    demand(type(at_us) is int and 0 <= at_us < _HELD)
    demand(isinstance(event_id, str))
    demand(type(number) is int and 0 <= number < 2**32)
    return EventPlace(int(str(at_us)), str(event_id), int(str(number)))


class TryRequest(AlertDefinition):
    """An alert to try, without storing it."""

    days: Annotated[
        int, Field(ge=1, le=90, description="Number of days to look back.", examples=[7])
    ] = 7

    def definition(self) -> AlertDefinition:
        """Return the alert."""
        return AlertDefinition.model_validate(
            self.model_dump(by_alias=True, exclude={"days"}, exclude_defaults=True)
        )


class TriedWindow(BaseModel):
    """A window in which the metric would have fired."""

    start: Annotated[str, Field(description="Milliseconds since the epoch.")]
    group: dict[str, Any] | None = None
    value: float
    count: Annotated[int, Field(description="Runs, or steps.")]


class TriedAlert(BaseModel):
    """How often an alert would have fired."""

    fired: Annotated[
        int, Field(description="Runs that match; with `metric`, windows of each group.")
    ]
    of: Annotated[int, Field(description="Number of runs, or windows, in all.")]
    waits_for_settled: Annotated[bool, Field(description="As in the alert.")]
    runs: Annotated[list[Run], Field(description="The newest runs, for a condition on runs.")]
    windows: Annotated[list[TriedWindow], Field(description="The newest windows, for a metric.")]


def item_of(listed: ListedAlert) -> AlertItem:
    """Return an alert as a response model."""
    stored = listed.alert.definition
    defined = read_definition(stored)
    of_number = defined.metric is not None
    passed: dict[str, Any] = defined.model_dump(exclude={"channels", "for_"})
    passed["of"] = (defined.of or "runs") if of_number else None
    passed["channels"] = list(map(_channel, defined.channels))
    return AlertItem.made_of(
        listed.alert, **passed, waits_for_settled=waits_for_settled(stored), firing=listed.firing
    )


def waits_for_settled(stored: Any) -> bool:
    """Return whether an alert fires only for settled runs."""
    try:
        condition = condition_of_definition(stored)
    except InvalidQueryError:  # the condition has a field that no longer exists
        return False
    return isinstance(condition, RunCondition) and not condition.is_lasting


def event_item_of(listed: ListedEvent) -> AlertEventItem:
    """Return an event as a response model."""
    event, shown = listed.event, listed.shown
    number = number_of(event, listed.definition)
    evidence = [AlertEvidence.trusted(dict(one)) for one in shown.get("evidence", ())]
    return AlertEventItem.made_of(
        event,
        name=shown.get("name"),
        question=shown.get("question"),
        evidence=evidence,
        group=number.get("group"),
        threshold=number.get("threshold"),
        window=number.get("window"),
        url=page_of(event),
        deliveries=_deliveries(listed),
    )


def tried_of(tried: TrialResult, definition: AlertDefinition) -> TriedAlert:
    """Return the result of a trial as a response model."""
    of = Subject.STEP if definition.of == "steps" else Subject.RUN
    names = [field.name for field in parse_by(definition.by or "", of)]
    windows = [
        TriedWindow(
            start=str(one.start_ns // 1_000_000),
            group=dict(zip(names, one.by, strict=True)) or None,
            value=one.value,
            count=one.runs,
        )
        for one in tried.windows
    ]
    return TriedAlert(
        fired=tried.fired,
        of=tried.of,
        waits_for_settled=waits_for_settled(definition.stored()),
        runs=[line.run for line in tried.runs],
        windows=windows,
    )


def _channel(channel: Channel) -> dict[str, Any]:
    secret = {"secret_file": channel.secret_file} if channel.secret_file else {}
    return {"kind": channel.kind, "url": channel.redacted, **secret}


def _deliveries(listed: ListedEvent) -> list[AlertDelivery]:
    """Return the delivery to each channel; a channel that was removed is shown as its key."""
    event = listed.event
    named = {one.key: f"{one.kind} {one.redacted}" for one in listed.definition.channels}
    by_channel = {one.channel: one for one in listed.deliveries}
    untried = (event.project, event.alert, event.id, event.number)
    return [
        AlertDelivery.made_of(
            by_channel.get(key) or Delivery(*untried, key, DeliveryState.PENDING, 0),
            channel=named.get(key, key),
        )
        for key in event.channels
    ]


ALERT = answer("The alert.", "AlertItem", ALERT_RECORD.example)
ALERTS = answer("The alerts.", "AlertList", {"items": [ALERT_RECORD.example]})
EVENTS = answer(
    "A page of events.", "AlertEventList", {"items": [ALERT_EVENT.example], "next_cursor": None}
)
TRIED = answer(
    "How often it would have fired.",
    "TriedAlert",
    {"fired": 1, "of": 40, "waits_for_settled": True, "runs": [RUN.example], "windows": []},
)
EXAMPLE_TRY = {"where": EXAMPLE_LINE, "days": 7}
