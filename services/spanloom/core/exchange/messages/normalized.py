"""Converts the items of a list of chat messages to the form of ``core/model/message.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.json_bytes import TOO_DEEP
from spanloom.core.formats.readers import an_object
from spanloom.core.messages.forms import BOOKKEEPING, is_message, open_message
from spanloom.core.messages.message import read_messages
from spanloom.core.messages.plain import SETTLED_ROLES
from spanloom.core.messages.wire import UnwritableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

_PARTS = ("text", "image_url", "input_audio", "file")


def normalized(item: object, where: str, losses: Losses) -> Iterator[Json]:
    """Convert an item to messages in the common form.

    Most items already have this form. In other items, members that are not part of the conversation
    are dropped and counted.
    """
    message = an_object(item, where)
    if _is_settled(message):
        yield message
        return
    if not isinstance(message.get("role"), str) and not is_message(message):
        raise InvalidRequestError(f"{where}.role: a string is needed here")
    try:
        found = read_messages([message], "user")
    except (UnwritableError, RecursionError) as error:
        raise InvalidRequestError(f"{where}: {TOO_DEEP}") from error
    opened, _ = open_message(message)
    note_unread(opened, opened.keys() - BOOKKEEPING | _id_of_call(found), losses, where)
    yield from (read for read in found if isinstance(read, dict))


def _id_of_call(found: Sequence[object]) -> AbstractSet[str]:
    """Return ``{"id"}`` for tool results, because some senders write the call's id there."""
    first = found[0] if found else None
    return {"id"} if isinstance(first, dict) and first.get("role") == "tool" else set()


def _is_settled(message: Json) -> bool:
    if message.get("role") not in SETTLED_ROLES:
        return False
    content, calls = message.get("content"), message.get("tool_calls") or []
    if not isinstance(calls, list) or not all(map(_is_call, calls)):
        return False
    if isinstance(content, list):
        return all(isinstance(p, dict) and p.get("type") in _PARTS for p in content)
    return isinstance(content, str)


def _is_call(call: object) -> bool:
    if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
        return False
    function = call["function"]
    return all(isinstance(function.get(name), str) for name in ("name", "arguments"))
