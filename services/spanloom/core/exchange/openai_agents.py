"""Writes the messages of every agent in a run in the form of OpenAI's API, keyed by agent name."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from spanloom.core.exchange.messages.writing import kept_by_messages, talks_of
from spanloom.core.exchange.openai import plain_messages
from spanloom.core.formats.json_bytes import dump

if TYPE_CHECKING:
    from collections.abc import Collection

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.stored import Stored

_KEPT = kept_by_messages(members={"name"})


def write(stored: Stored, losses: Losses) -> bytes:
    """Return messages, keyed by agent name; raises ``NotHeldError`` for a run without an agent."""
    written: Json = {}
    for talk in talks_of(stored, losses, _KEPT):
        written[_free(talk.agent.name, written)] = plain_messages(talk, losses)
    return dump(written)


def _free(name: str, taken: Collection[str]) -> str:
    """Return a unique name for an agent: its name, or ``name (2)`` if that is in use."""
    if name not in taken:
        return name
    return next(free for n in count(2) if (free := f"{name} ({n})") not in taken)
