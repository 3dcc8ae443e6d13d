"""A run to judge, as a document or as messages; each form is derived from the other."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import BaseModel

from spanloom.core.document import AGENTS, EXTRACTION, ROOT, HeldDocument
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.coze.shapes import is_example
from spanloom.core.exchange.sources import reader_of
from spanloom.core.formats.conversation import conversation
from spanloom.core.formats.readers import Located, Refused
from spanloom.core.formats.readers import Reading as FileReading
from spanloom.evaluation.subject.order import in_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.document import DocumentAgent
    from spanloom.core.formats.json_bytes import Json


class UnreadableRunError(InvalidRequestError):
    """The value is neither a document nor a list of messages."""


class Run:
    """One run. Its properties raise ``UnreadableRunError`` if it cannot be read."""

    def __init__(self, raw: object) -> None:
        """Parse a document (mapping, text or bytes; canonical or Coze's) or OpenAI messages.

        A document may also be the client's ``Trajectory``. Raises ``UnreadableRunError`` for
        anything else. Messages are converted to a document only when it is needed, so that messages
        can be compared even if they are not a conversation.
        """
        value = _parsed(raw)
        self.is_messages = isinstance(value, list)
        """Whether the input is a list of messages."""
        self._messages = value if isinstance(value, list) else None
        self._json = None if isinstance(value, list) else _document(value)

    @cached_property
    def document(self) -> HeldDocument:
        """The sorted document; for messages, one agent with a model step for each answer."""
        return in_order(HeldDocument(self._json or _document_of_messages(self._messages or [])))

    @cached_property
    def messages(self) -> Sequence[Json]:
        """The messages, unchecked; for a document, the conversation of the root agent."""
        if self._messages is not None:
            return self._messages
        agent = root_agent(self.document)
        return [] if agent is None else [turn.message for turn in conversation(agent)]

    @property
    def trace_id(self) -> str:
        """The trace id; for messages, a hash of the messages."""
        return self.document.id


def root_agent(document: HeldDocument) -> DocumentAgent | None:
    """Return the agent at the root, or else the first agent; ``None`` if there are no agents."""
    agents = list(document.agents)
    root_id = document.root.id
    return next((agent for agent in agents if agent.id == root_id), agents[0] if agents else None)


def _parsed(raw: object) -> list[Any] | Mapping[str, Any]:  # JSON values
    value = raw.model_dump(mode="json") if isinstance(raw, BaseModel) else raw
    if isinstance(value, str | bytes | bytearray):
        try:
            value = orjson.loads(value)
        except ValueError as error:
            raise UnreadableRunError(f"the run is no JSON: {error}") from error
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, list | dict):
        return value
    raise UnreadableRunError(f"a run is a document or a list of messages, not {type(raw).__name__}")


def _document(value: Mapping[str, Any]) -> Json:  # JSON values
    if isinstance(value.get(ROOT), dict) and is_example(value):
        return _read("coze-example", value)
    if not isinstance(value.get(AGENTS), list) or not isinstance(value.get(ROOT), dict):
        raise UnreadableRunError("the run has no root_step and agent_steps")
    if isinstance(value.get(EXTRACTION), dict):
        return dict(value)
    return _read("coze", value)


def _document_of_messages(value: Sequence[Any]) -> Json:  # JSON values
    if not value:
        return {"id": "", ROOT: {}, AGENTS: []}
    return _read("openai", value)


def _read(format_: str, value: object) -> Json:
    """Convert a run in another format to a document."""
    reading = FileReading(format_)
    read = next(iter(reader_of(format_).read([Located("the run", value)], reading)), None)
    if read is None or isinstance(read, Refused):
        raise UnreadableRunError(read.reason if read else "it has no run")
    return read.document
