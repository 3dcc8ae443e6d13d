"""The definition of an alert, as it is put: what it asks, whom it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field

from spanloom.alerts.addresses import check_url, shown_url
from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.alert import MOST_CHANNELS, channel_key
from spanloom.core.records.alert import EXAMPLE_LINE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_OF_NUMBERS = ("of", "by", "window", "above", "below", "at_least")
_ASKED = ("where", "metric", *_OF_NUMBERS)
"""The members that are what an alert asks: another value of one is another version."""


class Channel(BaseModel):
    """Whom an alert is told."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Annotated[
        Literal["webhook", "slack", "alertmanager"],
        Field(description="The form in which it is told.", examples=["webhook"]),
    ]
    url: Annotated[
        str,
        Field(
            min_length=1,
            max_length=2048,
            description="Where to. In answers `***` hides what may be a secret; a channel that is "
            "put with it keeps its address.",
            examples=["https://hooks.example.com/agents"],
        ),
    ]
    secret_file: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=1024,
            description="File, on the machine that tells, with the secret that signs the body: "
            "header `Spanloom-Signature`.",
            examples=["/etc/spanloom/hook-secret"],
        ),
    ] = None

    @property
    def key(self) -> str:
        """Its key, by which its deliveries are known."""
        return channel_key(self.kind, self.url)

    @property
    def shown(self) -> str:
        """Its address without what may be a secret."""
        return shown_url(self.kind, self.url)


class AlertDefinition(BaseModel):
    """What an alert asks, of runs or of a number, and whom it tells."""

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
            max_length=4096,
            description="The question: runs that meet it fire. With `metric` it narrows what the "
            "number is of.",
            examples=[EXAMPLE_LINE],
        ),
    ] = None
    for_: Annotated[
        Literal["runs"] | None,
        Field(alias="for", description="Of a line: it is about runs.", examples=["runs"]),
    ] = None
    metric: Annotated[
        str | None,
        Field(
            max_length=200,
            description="A number of `/v1/stats`, instead of a line about runs.",
            examples=["rate(error)"],
        ),
    ] = None
    of: Annotated[
        Literal["runs", "steps"] | None, Field(description="What the number is of; runs if absent.")
    ] = None
    by: Annotated[
        str | None,
        Field(max_length=200, description="Fields whose values make groups.", examples=["agent"]),
    ] = None
    window: Annotated[
        str | None,
        Field(max_length=8, description="Of the runs that began in it.", examples=["15m"]),
    ] = None
    above: Annotated[
        float | None,
        Field(
            allow_inf_nan=False, description="It fires while the number is larger.", examples=[0.2]
        ),
    ] = None
    below: Annotated[
        float | None,
        Field(allow_inf_nan=False, description="It fires while the number is smaller."),
    ] = None
    at_least: Annotated[
        int | None,
        Field(
            ge=1,
            le=10**9,
            description="Runs, or steps, below which nothing is said.",
            examples=[20],
        ),
    ] = None
    channels: Annotated[
        list[Channel], Field(max_length=MOST_CHANNELS, description="Whom it is told.")
    ] = []
    severity: Annotated[
        str, Field(max_length=50, description="A word for receivers.", examples=["critical"])
    ] = ""
    repeat_after: Annotated[
        str | None,
        Field(
            max_length=8,
            description="A number that still fires is told again after this time.",
            examples=["4h"],
        ),
    ] = None
    paused: Annotated[bool, Field(description="Nothing fires; what fired is still taken back.")] = (
        False
    )

    def stored(self) -> Mapping[str, Any]:
        """Return what is stored: members that are not at their default."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def asks(definition: Mapping[str, Any]) -> bytes:
    """Return what a stored definition asks, to compare: a change of it is another version."""
    asked = {name: definition.get(name) for name in _ASKED}
    if definition.get("metric") is not None:
        asked |= {"of": asked["of"] or "runs"}
    return orjson.dumps(asked)


def read_definition(stored: Mapping[str, Any]) -> AlertDefinition:
    """Return a definition as it was stored; members of a newer release are left out."""
    known = {info.alias or name for name, info in AlertDefinition.model_fields.items()}
    return AlertDefinition.model_validate({n: v for n, v in stored.items() if n in known})


def check_members(wanted: AlertDefinition) -> None:
    """Raise ``InvalidQueryError`` for members that do not go together."""
    if wanted.metric is None:
        for name in _OF_NUMBERS:
            if getattr(wanted, name) is not None:
                raise InvalidQueryError("this is of a number: name a `metric`", name)
        if not (wanted.where or "").strip():
            raise InvalidQueryError("name a line about runs, or a `metric`", "where")
        return
    if wanted.for_ is not None:
        raise InvalidQueryError("this is of a line about runs, without a `metric`", "for")
    if wanted.window is None:
        raise InvalidQueryError("a number is of a time: 15m, 1h, 1d", "window")
    if (wanted.above is None) == (wanted.below is None):
        raise InvalidQueryError("name one threshold, `above` or `below`", "above")


def with_addresses(
    wanted: AlertDefinition, known: Sequence[Channel], *, allows_private: bool
) -> AlertDefinition:
    """Return the definition with the addresses that answers hide, of channels that are known.

    Raises ``InvalidQueryError`` for an address that cannot be told.
    """
    hidden = {(one.kind, one.shown): one for one in known}
    channels: list[Channel] = []
    for place, given in enumerate(wanted.channels):
        meant = hidden.get((given.kind, given.url), given)
        channel = given.model_copy(update={"url": meant.url})
        try:
            check_url(channel.url, allows_private=allows_private)
        except ValueError as error:
            raise InvalidQueryError(str(error), f"channels[{place}].url") from error
        if channel.secret_file is not None and not channel.secret_file.startswith("/"):
            reason = "write an absolute path of the machine that tells"
            raise InvalidQueryError(reason, f"channels[{place}].secret_file")
        if any(other.key == channel.key for other in channels):
            raise InvalidQueryError("two channels are the same", f"channels[{place}].url")
        channels.append(channel)
    return wanted.model_copy(update={"channels": channels})
