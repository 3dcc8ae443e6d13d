"""The definition of an alert: its condition and its channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field

from spanloom.alerts.addresses import check_url, redacted_url
from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.alert import MOST_CHANNELS, channel_key
from spanloom.core.model.notation import MAX_WHERE_BYTES
from spanloom.core.records.alert import EXAMPLE_LINE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_OF_NUMBERS = ("of", "by", "window", "above", "below", "at_least")
_QUERY_MEMBERS = ("where", "metric", *_OF_NUMBERS)
"""The members of the condition: a change of one creates a new version of the alert."""


class Channel(BaseModel):
    """Where an alert sends notifications."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Annotated[
        Literal["webhook", "slack", "alertmanager"],
        Field(description="Format of the notifications.", examples=["webhook"]),
    ]
    url: Annotated[
        str,
        Field(
            min_length=1,
            max_length=2048,
            description="Address. In responses `***` hides possible secrets; a channel stored "
            "with `***` keeps its address.",
            examples=["https://hooks.example.com/agents"],
        ),
    ]
    secret_file: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=1024,
            description="File, on the machine that sends, with the secret that signs the body: "
            "header `Spanloom-Signature`.",
            examples=["/etc/spanloom/hook-secret"],
        ),
    ] = None

    @property
    def key(self) -> str:
        """The key of the channel, which identifies its deliveries."""
        return channel_key(self.kind, self.url)

    @property
    def redacted(self) -> str:
        """The URL without possible secrets."""
        return redacted_url(self.kind, self.url)


class AlertDefinition(BaseModel):
    """A condition on runs, or a metric with a threshold, and the channels to notify."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        json_schema_extra={
            "examples": [
                {
                    "where": EXAMPLE_LINE,
                    "channels": [{"kind": "webhook", "url": "https://hooks.example.com/agents"}],
                    "severity": "critical",
                },
                {"metric": "rate(error)", "window": "15m", "above": 0.2, "at_least": 20},
            ]
        },
    )

    where: Annotated[
        str | None,
        Field(
            max_length=MAX_WHERE_BYTES,
            description="The condition: runs that match it fire. With `metric` it filters the runs "
            "or steps of the metric.",
            examples=[EXAMPLE_LINE],
        ),
    ] = None
    for_: Annotated[
        Literal["runs"] | None,
        Field(alias="for", description="Without `metric`: a condition on runs.", examples=["runs"]),
    ] = None
    metric: Annotated[
        str | None,
        Field(
            max_length=200,
            description="A metric of `/v1/stats`, instead of a condition on runs.",
            examples=["rate(error)"],
        ),
    ] = None
    of: Annotated[
        Literal["runs", "steps"] | None, Field(description="Subject of the metric; runs if absent.")
    ] = None
    by: Annotated[
        str | None,
        Field(max_length=200, description="Fields whose values make groups.", examples=["agent"]),
    ] = None
    window: Annotated[
        str | None,
        Field(
            max_length=8, description="Time window; runs that began in it count.", examples=["15m"]
        ),
    ] = None
    above: Annotated[
        float | None,
        Field(
            allow_inf_nan=False, description="It fires while the metric is larger.", examples=[0.2]
        ),
    ] = None
    below: Annotated[
        float | None,
        Field(allow_inf_nan=False, description="It fires while the metric is smaller."),
    ] = None
    at_least: Annotated[
        int | None,
        Field(
            ge=1,
            le=10**9,
            description="With fewer runs, or steps, it does not fire.",
            examples=[20],
        ),
    ] = None
    channels: Annotated[
        list[Channel], Field(max_length=MOST_CHANNELS, description="Where notifications are sent.")
    ] = []
    severity: Annotated[
        str,
        Field(
            max_length=50, description="Severity, passed on to receivers.", examples=["critical"]
        ),
    ] = ""
    repeat_after: Annotated[
        str | None,
        Field(
            max_length=8,
            description="A metric that still fires is notified again after this time.",
            examples=["4h"],
        ),
    ] = None
    paused: Annotated[
        bool, Field(description="Nothing fires; earlier firings can still be withdrawn.")
    ] = False

    def stored(self) -> Mapping[str, Any]:
        """Return the stored form: members that differ from their default."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def queried_members(definition: Mapping[str, Any]) -> bytes:
    """Return the condition in a stored definition as JSON; a changed condition is a new version."""
    members = {name: definition.get(name) for name in _QUERY_MEMBERS}
    if definition.get("metric") is not None:
        members |= {"of": members["of"] or "runs"}
    return orjson.dumps(members)


def read_definition(stored: Mapping[str, Any]) -> AlertDefinition:
    """Return the definition from its stored form; members of newer releases are ignored."""
    known = {info.alias or name for name, info in AlertDefinition.model_fields.items()}
    return AlertDefinition.model_validate({n: v for n, v in stored.items() if n in known})


def check_members(definition: AlertDefinition) -> None:
    """Raise ``InvalidQueryError`` for members that contradict each other."""
    if definition.metric is None:
        for name in _OF_NUMBERS:
            if getattr(definition, name) is not None:
                raise InvalidQueryError("this belongs to a metric: name a `metric`", name)
        if not (definition.where or "").strip():
            raise InvalidQueryError("name a condition on runs, or a `metric`", "where")
        return
    if definition.for_ is not None:
        raise InvalidQueryError("this is for a condition on runs, without a `metric`", "for")
    if definition.window is None:
        raise InvalidQueryError("a metric needs a window: 15m, 1h, 1d", "window")
    if (definition.above is None) == (definition.below is None):
        raise InvalidQueryError("name one threshold, `above` or `below`", "above")


def with_addresses(
    definition: AlertDefinition, known: Sequence[Channel], *, allows_private: bool
) -> AlertDefinition:
    """Return the definition with the full URL in place of each redacted URL.

    ``known`` are the channels with the full URLs. Raises ``InvalidQueryError`` for an invalid or
    forbidden URL.
    """
    hidden = {(one.kind, one.redacted): one for one in known}
    channels: list[Channel] = []
    for place, requested in enumerate(definition.channels):
        same = hidden.get((requested.kind, requested.url), requested)
        channel = requested.model_copy(update={"url": same.url})
        try:
            check_url(channel.url, allows_private=allows_private)
        except ValueError as error:
            raise InvalidQueryError(str(error), f"channels[{place}].url") from error
        if channel.secret_file is not None and not channel.secret_file.startswith("/"):
            reason = "write an absolute path of the machine that sends"
            raise InvalidQueryError(reason, f"channels[{place}].secret_file")
        if any(other.key == channel.key for other in channels):
            raise InvalidQueryError("two channels are the same", f"channels[{place}].url")
        channels.append(channel)
    return definition.model_copy(update={"channels": channels})
