"""Channels that respond as a test chooses, without a network."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.alerts.sending import DeliveryError

if TYPE_CHECKING:
    from spanloom.alerts.definition import Channel


class ScriptedChannels:
    """``Sender`` that records bodies by address, and fails or hangs on demand."""

    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.failing: dict[str, str] = {}
        """The reason of the failure, by address."""
        self.hanging: set[str] = set()
        self.tries: list[str] = []

    async def send(self, channel: Channel, body: bytes) -> None:
        """See ``Sender.send``."""
        self.tries.append(channel.url)
        if channel.url in self.hanging:
            await asyncio.Event().wait()
        if reason := self.failing.get(channel.url):
            raise DeliveryError(reason)
        self.told.append((channel.url, orjson.loads(body)))

    async def close(self) -> None:
        """See ``Sender.close``."""
