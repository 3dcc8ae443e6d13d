"""The definition of an alert: its condition and its channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field

from spanloom.alerts.addresses import check_url, redacted_url
from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.alert import channel_key
from spanloom.core.records.alert_members import (
    CONDITION_MEMBERS,
    EXAMPLE_CHANNEL,
    EXAMPLE_LINE,
    AlertMetric,
    AlertNotices,
    AlertWhere,
)
from spanloom.core.records.requested import as_requested

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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


class _For(BaseModel):
    for_: Annotated[
        Literal["runs"] | None,
        Field(alias="for", description="Without `metric`: a condition on runs.", examples=["runs"]),
    ] = None


# Pydantic takes the fields of the last base first.
@as_requested
class AlertDefinition(AlertNotices[Channel], AlertMetric, _For, AlertWhere):
    """A condition on runs, or a metric with a threshold, and the channels to notify."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        json_schema_extra={
            "examples": [
                {
                    "where": EXAMPLE_LINE,
                    "channels": [{**EXAMPLE_CHANNEL}],
                    "severity": "critical",
                },
                {"metric": "rate(error)", "window": "15m", "above": 0.2, "at_least": 20},
            ]
        },
    )

    def stored(self) -> Mapping[str, Any]:
        """Return the stored form: members that differ from their default."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def queried_members(definition: Mapping[str, Any]) -> bytes:
    """Return the condition in a stored definition as JSON; a changed condition is a new version."""
    members = {name: definition.get(name) for name in CONDITION_MEMBERS}
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
        for name in AlertMetric.model_fields:
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
