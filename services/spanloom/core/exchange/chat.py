"""Writes and reads rows ``{"messages", "tools", "metadata"}``, used to fine-tune models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.exchange.drafts import complete
from spanloom.core.exchange.kept import OF_THE_SENDER
from spanloom.core.exchange.messages.reading import draft_of_messages, is_message_list
from spanloom.core.exchange.messages.rows import source_of
from spanloom.core.exchange.messages.writing import about_run, kept_by_messages, talk_of, tools_of
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.readers import EachAlone, a_list, an_object
from spanloom.core.messages.steps import TOOL_DEFINITIONS
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.readers import Reading
    from spanloom.core.formats.stored import Stored

_TOOLS = "tools"
_READ = frozenset({"messages", "metadata"})
_OF_OTHERS = frozenset({"annotations", "index", "inputs", "root_step", "type"})


_KEPT = kept_by_messages(OF_THE_SENDER, {"name"}, of_models={TOOL_DEFINITIONS})


def write(stored: Stored, losses: Losses) -> bytes:
    """Return a run as a row; raises ``NotHeldError`` for a run without an agent."""
    talk = talk_of(stored, losses, _KEPT)
    tools = tools_of(talk.agent, losses)
    offered = {_TOOLS: tools} if tools else {}
    return dump({"messages": talk.messages, **offered, "metadata": about_run(stored.view)})


def fits(value: Any) -> bool:
    """Return whether a value is a row with messages and without other formats' members."""
    if not isinstance(value, dict) or not _OF_OTHERS.isdisjoint(value):
        return False
    return is_message_list(value.get("messages"))


def read_one(value: Any, reading: Reading) -> Iterable[Json]:
    """Convert a row to a canonical document, and yield it."""
    row = an_object(value, "the value")
    messages = a_list(row.get("messages"), "messages")
    draft = draft_of_messages(messages, reading, source_of(row, reading))
    first = next((step for step in draft.steps if step.kind is Kind.MODEL), None)
    if first is not None and row.get(_TOOLS):
        tools = dump(a_list(row[_TOOLS], _TOOLS)).decode()
        first.metadata = {**first.metadata, TOOL_DEFINITIONS: tools}
    note_unread(row, _READ if first is None else _READ | {_TOOLS}, reading.losses)
    yield complete(draft)


READER = EachAlone(fits, read_one)
