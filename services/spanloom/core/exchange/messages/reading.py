"""Makes a draft from a list of chat messages: an agent with a model step for each answer.

System and user messages become the input of the model step after them. The step is flagged as
having only the new messages (``listed_messages.HISTORY``), because with the whole history in each
step a run of n turns would have n² messages. Tool messages become tool steps; ``calls.py`` finds
the call of each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanloom.core.conventions.listed_messages import HISTORY, OMITTED
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import MAX_STEPS, Draft, DraftStep
from spanloom.core.exchange.ids import note_made, step_id_of
from spanloom.core.exchange.messages.calls import Calls
from spanloom.core.exchange.messages.normalized import normalized
from spanloom.core.exchange.messages.writing import A_TOOL
from spanloom.core.exchange.times import filled
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code
from spanloom.core.formats.turns import text_of
from spanloom.core.messages.forms import is_message
from spanloom.core.model.step import NO_CODE, StepError
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.readers import Reading

AGENT = "agent"
"""The default name of an agent."""
_CALL, _A_RESULT = "chat", "result"
"""The default names for a model call, and for a tool whose name and call are both unknown."""
_OF_A_RESULT = frozenset({"role", "content", "tool_call_id", "name", "status", "type"})
"""Members of a tool message that its step preserves; other messages are preserved whole."""
_FAILED = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Data about a list of messages that is not in the messages."""

    trace_id: str
    name: str = AGENT
    """The name of the agent."""
    where: str = "messages"
    """The path of the list in the value, for error messages; empty if the value is the list."""
    extras: Mapping[str, object] = field(default_factory=dict)
    """See ``Draft.extras``."""
    times: Sequence[int | None] = ()
    """The time of each message in milliseconds since the epoch; empty if unknown."""
    models: Sequence[str] = ()
    """The model of each answer; empty if unknown."""


def draft_of_messages(messages: Sequence[object], reading: Reading, source: Source) -> Draft:
    """Return a list of messages as a draft; count missing facts, such as times, as losses.

    Raises ``InvalidRequestError``, with the path, for an item that is not a message.
    """
    if not messages:
        raise InvalidRequestError(f"{source.where or 'the list'}: it has no messages")
    if len(messages) > MAX_STEPS:
        raise InvalidRequestError(
            f"{source.where or 'the list'}: it has {len(messages):,} messages, more than "
            f"{MAX_STEPS:,}"
        )
    draft = _Drafting(reading, source)
    for at, item in enumerate(messages):
        where = f"{source.where}.{at}".lstrip(".")
        for message in normalized(item, where, reading.losses):
            draft.add(message, at)
    return draft.finish()


def is_message_list(value: object) -> bool:
    """Return whether a JSON value is a list that begins with a message."""
    return isinstance(value, list) and bool(value) and is_message(value[0])


class _Drafting:
    """Makes the steps, message by message."""

    def __init__(self, reading: Reading, source: Source) -> None:
        """Start with the agent as the only step."""
        self._reading, self._source = reading, source
        self._root = DraftStep(self._id(""), "", Kind.AGENT, source.name)
        self._root.metadata = {"agent_name": source.name}
        self._steps: list[DraftStep] = [self._root]
        self._taken: set[str] = {self._root.id}
        self._heard: list[Json] = []
        self._heard_at, self._heard_ms = 0, 0
        self._calls = Calls()
        self._times = filled(source.times)
        self._now = 0

    def add(self, message: Json, at: int) -> None:
        """Add the message at index ``at`` of the source."""
        self._now = self._times[at] if at < len(self._times) else self._now
        role = message.get("role")
        if role == "assistant":
            self._add_answer(message, at)
        elif role == "tool":
            self._add_result(message, at)
        else:
            self._heard.append(message)
            self._heard_at, self._heard_ms = at, self._now
            if role == "user" and not self._root.input:
                self._root.input = text_of(message.get("content"))

    def finish(self) -> Draft:
        """Return the draft with all steps."""
        self._leave_unanswered()
        self._reading.losses.note(Code.DURATION_UNKNOWN, "", len(self._steps) - 1)
        for call_id in self._calls.open_ids():
            self._reading.losses.note(Code.CALL_UNPAIRED, call_id)
        start = self._steps[1].start_ms if len(self._steps) > 1 else 0
        self._root.start_ms, self._root.duration_ms = start, max(self._now - start, 0)
        source = self._source
        return Draft(
            source.trace_id,
            self._reading.project,
            self._reading.format,
            self._steps,
            extras=source.extras,
        )

    def _id(self, path: str, own: str = "") -> str:
        taken: set[str] = self._taken if own else set()
        step_id = step_id_of(self._source.trace_id, path, own, taken)
        note_made(step_id, own, f"{self._source.where}.{path}".strip("."), self._reading.losses)
        return step_id

    def _add(self, step: DraftStep) -> None:
        self._taken.add(step.id)
        self._steps.append(step)

    def _leave_unanswered(self) -> None:
        if self._heard:
            self._add_model(self._heard_at, self._heard_ms)

    def _add_model(self, at: int, start_ms: int, output: str = "") -> DraftStep:
        """Add a model step; its input is the messages since the previous model step."""
        models = self._source.models
        heard, self._heard = self._heard, []
        step = DraftStep(
            self._id(f"{at}"),
            self._root.id,
            Kind.MODEL,
            _CALL,
            dump(heard).decode() if heard else "",
            output,
            start_ms,
            model=models[at] if at < len(models) else "",
            metadata={HISTORY: OMITTED},
        )
        self._add(step)
        return step

    def _add_answer(self, message: Json, at: int) -> None:
        step = self._add_model(at, self._now, dump([message]).decode())
        if text := text_of(message.get("content")):
            self._root.output = text
        calls = message.get("tool_calls")
        for n, call in enumerate(calls if isinstance(calls, list) else ()):
            self._calls.add(call, f"{step.id}.{n}")

    def _add_result(self, message: Json, at: int) -> None:
        """Add a tool step; first add a model step if there is input without an answer."""
        self._leave_unanswered()
        own_id, name = str(message.get("tool_call_id") or ""), str(message.get("name") or "")
        call = self._calls.answer(own_id, name)
        if call is None:
            self._reading.losses.note(Code.CALL_UNPAIRED, f"{self._source.where}.{at}".lstrip("."))
        name = name or ((call.name or A_TOOL) if call else _A_RESULT)
        call_id = call.id if call else own_id
        text = _text(message.get("content"))
        has_failed = message.get("status") == _FAILED
        step = DraftStep(
            self._id(f"{at}.tool", "" if call else own_id),
            self._root.id,
            Kind.TOOL,
            name,
            call.arguments if call else "",
            "" if has_failed else text,
            self._now,
            error=StepError(NO_CODE, text) if has_failed else None,
            metadata={"tool_name": name} | ({"tool_call_id": call_id} if call_id else {}),
        )
        self._add(step)
        where = f"{self._source.where}.{at}".lstrip(".")
        note_unread(message, _OF_A_RESULT, self._reading.losses, where)


def _text(content: object) -> str:
    """Return the content of a result as text: texts joined, other parts as JSON."""
    if isinstance(content, list):
        are_texts = all(isinstance(p, dict) and p.get("type") == "text" for p in content)
        return text_of(content) if are_texts else dump(content).decode()
    return content if isinstance(content, str) else ""
