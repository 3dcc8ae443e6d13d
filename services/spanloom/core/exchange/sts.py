"""Session Trace Simple Format of the Hugging Face Hub: a line for the run, a line per message.

``{"type": "session", "harness", "id", "name"}``, then ``{"type": "message", "message": {"role",
"content", "toolCalls", "toolCallId", "reasoningContent", "timestamp", "model"}}``.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import MAX_STEPS, complete
from spanloom.core.exchange.ids import note_made, trace_id_of
from spanloom.core.exchange.messages.reading import AGENT, Source, draft_of_messages
from spanloom.core.exchange.messages.rows import source_id_of
from spanloom.core.exchange.messages.writing import kept_by_messages, placeholder, talk_of
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.formats.readers import Refused, a_list, a_text, an_object, read_alone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.exchange.messages.writing import Talk
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.readers import Located, Reading, Taken
    from spanloom.core.formats.stored import Stored

_SESSION, _MESSAGE = "session", "message"
_HARNESS = "spanloom"
_OF_A_RUN = frozenset({"type", "harness", "id", "name"})
_OF_A_LINE = frozenset({"type", _MESSAGE})
_OF_A_MESSAGE = frozenset({"role", "content", "toolCalls"})
_TEXTS = frozenset({"toolCallId", "reasoningContent"})
_ANSWERS = frozenset({"assistant", "tool"})
_ROLES = {"developer": "system"}
_KEPT = kept_by_messages(members={"name", "started_at"}, of_models={"model"})


def write(stored: Stored, losses: Losses) -> bytes:
    """Return a run as lines; raises ``NotHeldError`` for a run without an agent."""
    talk, run = talk_of(stored, losses, _KEPT), stored.view
    session = {"type": _SESSION, "harness": _HARNESS, "id": run.id, "name": run.root.name}
    lines = [session, *({"type": _MESSAGE, "message": m} for m in _messages(talk, losses))]
    return b"\n".join([*map(dump, lines), b""])


def _messages(talk: Talk, losses: Losses) -> Iterator[Json]:
    steps = {step.id: step for step in talk.agent.steps}
    starts = [steps.get(step_id, talk.agent).started_at for _, step_id in talk.sourced]
    times = _times(starts.copy(), talk)
    for (message, step_id), start, time in zip(talk.sourced, starts, times, strict=True):
        step = steps.get(step_id)
        if time != start and step is not None and step.duration == 0:
            losses.note(Code.TIMES_DROPPED, step_id)
        written = _message(message, step_id, losses)
        if time > 0:
            written["timestamp"] = time
        if message["role"] == "assistant" and step is not None and (model := step.model):
            written["model"] = model
        yield written


def _times(starts: list[int], talk: Talk) -> Sequence[int]:
    """Return a time for each message, not earlier than that of the preceding message.

    A user's message gets the time of the answer that follows it. The start of the call that first
    received the message is not usable: that call may have failed and so have no answer here.
    """
    after, start = "tool", 0
    for at in range(len(starts) - 1, -1, -1):
        role = talk.sourced[at][0]["role"]
        if after != "tool" and role not in _ANSWERS:
            starts[at] = start
        after, start = role, starts[at]
    return list(accumulate(starts, max))


def _message(message: Json, step_id: str, losses: Losses) -> Json:
    role = message["role"]
    if role in _ROLES or (role != "tool" and "name" in message):
        losses.note(Code.METADATA_DROPPED, step_id)
    written: Json = {
        "role": _ROLES.get(role, role),
        "content": _text(message["content"], step_id, losses),
    }
    if calls := message.get("tool_calls"):
        written["toolCalls"] = [{"id": call["id"], "function": call["function"]} for call in calls]
    if "tool_call_id" in message:
        written["toolCallId"] = message["tool_call_id"]
    if thoughts := message.get("reasoning_content"):
        written["reasoningContent"] = thoughts
    return written


def _text(content: object, step_id: str, losses: Losses) -> str:
    """Return a content as text, with placeholders for media."""
    if not isinstance(content, list):
        return str(content)
    texts = [part["text"] if part["type"] == "text" else placeholder(part) for part in content]
    losses.note(Code.PARTS_DROPPED, step_id, sum(1 for part in content if part["type"] != "text"))
    return "\n".join(texts)


def _is_session(value: object) -> bool:
    return isinstance(value, dict) and value.get("type") == _SESSION


class Reader:
    """Reads a session line and the messages after it as a run."""

    def fits(self, value: Any) -> bool:
        """Return whether a value is a session line."""
        return _is_session(value) and "harness" in value

    def holds(self, first: Any) -> bool:  # any JSON value
        """Return ``False``, because a list is never a single record of this format."""
        return self.fits([first])

    def read(self, values: Iterable[Located], reading: Reading) -> Iterator[Taken | Refused]:
        """Yield a run per session; an invalid message is rejected alone, and the rest is read."""
        session: _Session | None = None
        for place, value in values:
            if _is_session(value):
                if session is not None:
                    yield from session.read(reading)
                session = _Session(place, value)
            elif session is None:
                yield Refused(place, f"type: {_SESSION} is needed in the first line")
            else:
                yield from session.add(place, value)
        if session is not None:
            yield from session.read(reading)


class _Session:
    """Collects the messages after a session line."""

    def __init__(self, place: str, value: Json) -> None:
        """Start without messages."""
        self._place, self._value = place, value
        self._messages: list[Json] = []
        self._unread = Losses()
        self._times: list[int | None] = []
        self._models: list[str] = []

    def add(self, place: str, value: Any) -> Iterator[Refused]:
        """Add a message; if it is invalid, yield its rejection."""
        if isinstance(value, dict) and value.get("type") != _MESSAGE and "message" not in value:
            yield Refused(place, f"type: {_SESSION} or {_MESSAGE} is needed here")
            return
        if len(self._messages) > MAX_STEPS:  # the session is refused as a whole at its end
            return
        try:
            line = an_object(value, "the line")
            message = an_object(line.get(_MESSAGE), _MESSAGE)
            self._messages.append(_read_message(message))
        except InvalidRequestError as error:
            yield Refused(place, str(error))
            return
        self._add_about(message)
        note_unread(line, _OF_A_LINE, self._unread, place)

    def _add_about(self, message: Json) -> None:
        """Store the time and the model of a message, and count its unread members."""
        time, model = _milliseconds(message.get("timestamp")), message.get("model")
        is_answer = message["role"] == "assistant" and isinstance(model, str)
        known = {name for name in _TEXTS if isinstance(message.get(name), str)} | _OF_A_MESSAGE
        known |= {"timestamp"} if time is not None else set()
        known |= {"model"} if is_answer else set()
        note_unread(message, known, self._unread, f"messages.{len(self._times)}")
        self._times.append(time)
        self._models.append(str(model) if is_answer else "")

    def read(self, reading: Reading) -> Iterator[Taken | Refused]:
        """Yield the run, or the rejection of the session."""
        yield from read_alone(self._place, self._value, self._read_one, reading)

    def _read_one(self, value: Any, reading: Reading) -> Iterable[Json]:
        source_id, name = a_text(value.get("id"), "id"), value.get("name")
        note_unread(value, _OF_A_RUN, reading.losses)
        reading.losses.add(self._unread)
        trace_id = trace_id_of(reading.format, reading.project, source_id)
        note_made(trace_id, source_id, "id", reading.losses)
        source = Source(
            trace_id=trace_id,
            name=name if isinstance(name, str) and name else AGENT,
            extras={"metadata": own} if (own := source_id_of(source_id, trace_id)) else {},
            times=self._times,
            models=self._models,
        )
        yield complete(draft_of_messages(self._messages, reading, source))


def _milliseconds(value: object) -> int | None:
    """Return a valid time in ms since the epoch; ``None`` for any other value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < _LAST_MS else None


_LAST_MS = 10**13


def _read_message(sent: Json) -> Json:
    """Return a message of a session as a chat message."""
    chat: Json = {"role": a_text(sent.get("role"), "message.role")}
    chat["content"] = sent.get("content") if sent.get("content") is not None else ""
    if calls := sent.get("toolCalls"):
        chat["tool_calls"] = [
            {"type": "function", **an_object(call, f"message.toolCalls.{at}")}
            for at, call in enumerate(a_list(calls, "message.toolCalls"))
        ]
    if isinstance(call_id := sent.get("toolCallId"), str):
        chat["tool_call_id"] = call_id
    if isinstance(thoughts := sent.get("reasoningContent"), str) and thoughts:
        chat["reasoning_content"] = thoughts
    return chat


READER = Reader()
