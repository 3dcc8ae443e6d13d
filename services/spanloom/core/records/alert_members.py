"""The members of an alert that a client sets, for requests, stored definitions and answers."""

from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, Field

from spanloom.core.model.alert import MOST_CHANNELS
from spanloom.core.model.notation import MAX_WHERE_BYTES
from spanloom.core.records.declared import Example, From, Requested

ChannelT = TypeVar("ChannelT")
EXAMPLE_LINE = 'has(tool = "refund") and not has(tool = "verify" then tool = "refund")'
EXAMPLE_CHANNEL = {"kind": "webhook", "url": "https://hooks.example.com/agents"}


class AlertWhere(BaseModel):
    """Which runs fire; a change makes a new version of the alert."""

    where: Annotated[
        str | None,
        Field(description="The condition on runs; with `metric`, its filter."),
        From(None),
        Example(EXAMPLE_LINE),
        Requested(
            max_length=MAX_WHERE_BYTES,
            description="The condition: runs that match it fire. With `metric` it filters the runs "
            "or steps of the metric.",
            examples=[EXAMPLE_LINE],
        ),
    ] = None


class AlertMetric(BaseModel):
    """A metric that fires, with its threshold; a change makes a new version of the alert."""

    metric: Annotated[
        str | None,
        Field(description="The metric, as `/v1/stats` names it."),
        From(None),
        Requested(
            max_length=200,
            description="A metric of `/v1/stats`, instead of a condition on runs.",
            examples=["rate(error)"],
        ),
    ] = None
    of: Annotated[
        str | None,
        Field(description="`runs` or `steps`."),
        From(None),
        Requested(Literal["runs", "steps"], description="Subject of the metric; runs if absent."),
    ] = None
    by: Annotated[
        str | None,
        Field(description="Fields whose values make groups."),
        From(None),
        Requested(max_length=200, examples=["agent"]),
    ] = None
    window: Annotated[
        str | None,
        Field(description="Such as `15m`."),
        From(None),
        Requested(
            max_length=8, description="Time window; runs that began in it count.", examples=["15m"]
        ),
    ] = None
    above: Annotated[
        float | None,
        Field(description="It fires while the metric is larger."),
        From(None),
        Requested(allow_inf_nan=False, examples=[0.2]),
    ] = None
    below: Annotated[
        float | None,
        Field(description="It fires while the metric is smaller."),
        From(None),
        Requested(allow_inf_nan=False),
    ] = None
    at_least: Annotated[
        int | None,
        Field(description="With fewer runs, or steps, it does not fire."),
        From(None),
        Requested(ge=1, le=10**9, examples=[20]),
    ] = None


class AlertNotices(BaseModel, Generic[ChannelT]):
    """How an alert notifies; a change makes no new version, so that nothing is sent again.

    ``ChannelT`` is a channel: checked in a definition, without secrets in an answer.
    """

    channels: Annotated[
        list[ChannelT],
        Field(description="`kind`, `url` (`***` hides possible secrets), `secret_file`."),
        From(None),
        Example([EXAMPLE_CHANNEL]),
        Requested(
            default=[], max_length=MOST_CHANNELS, description="Where notifications are sent."
        ),
    ]
    severity: Annotated[
        str,
        Field(description="Severity, passed on to receivers."),
        From(None),
        Example("critical"),
        Requested(default="", max_length=50, examples=["critical"]),
    ]
    repeat_after: Annotated[
        str | None,
        Field(description="Time after which a firing metric is notified again."),
        From(None),
        Requested(
            max_length=8,
            description="A metric that still fires is notified again after this time.",
            examples=["4h"],
        ),
    ] = None
    paused: Annotated[
        bool,
        Field(description="Whether it is paused: nothing fires."),
        From(None),
        Example(False),
        Requested(
            default=False, description="Nothing fires; earlier firings can still be withdrawn."
        ),
    ]


CONDITION_MEMBERS = (*AlertWhere.model_fields, *AlertMetric.model_fields)
"""The members of an alert's condition: a change of one makes a new version of the alert."""
ALERT_MEMBERS = (*CONDITION_MEMBERS, *AlertNotices.model_fields)
"""All members of an alert that a client sets."""
