"""Builds one conversation from the messages in an agent's steps.

The conversation is built from the steps, not copied from the input of the last model call, because
in only 176 of 228 captured pairs of consecutive calls the earlier conversation was a prefix of the
later one. Each input adds its system, developer and user messages after the prefix that it shares
with the previous input; each output adds one assistant message; each tool step adds its result.

A tool step belongs to the agent's call with the same call id; otherwise to a call with the same
tool name and equal arguments (LangChain writes a single argument unwrapped: ``{"city": "Oslo"}`` as
``Oslo``); otherwise to the oldest open call of that tool. In 295 captured runs 126 tool steps are
matched by the first rule, 125 by the second, 14 by the third; 30 have no call, for example the
steps of retrievers.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from spanloom.core.conventions.listed_messages import HISTORY, OMITTED
from spanloom.core.formats.calls import OpenCalls
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.formats.turns import Turn, input_turn, joined_answer, result_turn, text_of
from spanloom.core.messages.texts import messages_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.document import DocumentAgent, DocumentStep
    from spanloom.core.formats.calls import Place
    from spanloom.core.formats.json_bytes import Json

_INPUT_ROLES = frozenset({"system", "developer", "user"})
_OF_INPUTS = frozenset({"role", "content", "name"})
"""Members of input messages that conversations contain; other members are counted as losses."""
_LAST = 2**31
"""The sort key for a result without a call, which comes after all other results."""


def conversation(
    agent: DocumentAgent, losses: Losses | None = None, *, repeats: bool = False
) -> Sequence[Turn]:
    """Return the turns of an agent; only model and tool steps have turns.

    Results of tools that ran in parallel are in the order of their calls. If ``losses`` is set,
    omitted contents are counted, and the turns suit a format with one result per call: the last run
    of a call provides its result, a result that occurs only in an input comes right after its call,
    and answers keep their reasoning. If ``repeats`` is set, every run of a call has its result.
    """
    turns = _Turns(losses or Losses()) if losses is None or repeats else _Once(losses)
    for step in agent.steps:
        if step.type == "tool":
            turns.add_result(step)
        elif step.type == "model":
            turns.add_call(step)
    return turns.finish()


class _Turns:
    """Collects the turns of an agent."""

    keeps_thoughts = False

    def __init__(self, losses: Losses) -> None:
        """Start a conversation without turns."""
        self.losses = losses
        self.turns: list[Turn] = []
        self.results: list[tuple[int, Turn]] = []
        """Results, each with the number of its call, by which they are ordered."""
        self.calls = OpenCalls()
        self.previous: Sequence[Json] = ()
        self.seen_texts: set[str] = set()
        """The texts of all outputs and tool results so far."""

    def add_result(self, step: DocumentStep) -> None:
        """Add the result of a tool step."""
        found = self.calls.answer(step)
        number, call_id = found or (_LAST, "")
        self.note_run(step, found)
        self.results.append((number, result_turn(step, call_id or step.id)))

    def note_run(self, step: DocumentStep, call: Place | None) -> None:
        """Store the output; count a missing call, or input other than its arguments, as lost."""
        self.seen_texts.add(step.output or step.error_message)
        if call is None:
            self.losses.note(Code.CALL_UNPAIRED, step.id)
        if step.input and (call is None or not self.calls.has(call[0], step.input)):
            self.losses.note(Code.TEXTS_DROPPED, step.id)

    def add_call(self, step: DocumentStep) -> None:
        """Add the new input messages of a model step, and its answer."""
        messages = messages_in(step.input, "user")
        is_omitted = step.metadata.get(HISTORY) == OMITTED
        known = 0 if is_omitted else _shared(self.previous, messages)
        if messages and known < len(self.previous) and not is_omitted:
            self.losses.note(Code.HISTORY_REWRITTEN, step.id)
        if known < len(messages):
            self.note_dropped(step, messages[known:] if known else messages)
            self.add_new_messages(step, messages, known)
        self.flush()
        self.add_answer(step)
        self.previous = messages

    def add_new_messages(self, step: DocumentStep, messages: Sequence[Json], known: int) -> None:
        """Add the messages from index ``known`` on, also tool results without a tool step."""
        self.flush()
        for at in range(known, len(messages)):
            message = messages[at]
            role = message["role"]
            if role in _INPUT_ROLES or (
                role == "tool" and self.calls.answer_id(_call_id(message)) is not None
            ):
                self.turns.append(input_turn(step, message, at))

    def note_dropped(self, step: DocumentStep, new: Sequence[Json]) -> None:
        """Count, as lost, input messages with texts that no step has, or with unknown members."""
        dropped = odd = 0
        for message in new:
            role = message["role"]
            if role in _INPUT_ROLES:
                odd += not message.keys() <= _OF_INPUTS
            elif role == "tool":
                dropped += not (self._is_seen(message) or self.calls.is_open(_call_id(message)))
            elif role == "assistant":
                calls = message.get("tool_calls")
                known = all(map(self.calls.knows, calls if isinstance(calls, list) else ()))
                dropped += not (known and self._is_seen(message))
            else:
                dropped += 1
        if dropped:
            self.losses.note(Code.TEXTS_DROPPED, step.id, dropped)
        if odd:
            self.losses.note(Code.METADATA_DROPPED, step.id, odd)

    def _is_seen(self, message: Json) -> bool:
        text = text_of(message.get("content"))
        return not text or text in self.seen_texts

    def add_answer(self, step: DocumentStep) -> None:
        """Add a model's output as one message, and add its calls to the open calls."""
        answers = messages_in(step.output, "assistant")
        if not answers:
            return
        message = joined_answer(step, answers, self.losses, keeps_thoughts=self.keeps_thoughts)
        self.seen_texts.add(message["content"])
        arguments = [self._opened(call, step) for call in message.get("tool_calls", ())]
        self.turns.append(Turn(message, step.id, None, arguments))

    def _opened(self, call: Json, step: DocumentStep) -> object:
        """Add a call to the open calls, count its losses, and return its parsed arguments."""
        arguments = self.calls.add(call)
        if not isinstance(arguments, dict):
            self.losses.note(Code.ARGS_NOT_OBJECT, step.id)
        if call["id"].startswith(f"{step.id}."):
            self.losses.note(Code.CALL_ID_MADE, step.id)
        return arguments

    def flush(self) -> None:
        """Add the results since the last model step, in the order of their calls."""
        if self.results:
            self.turns += (turn for _, turn in sorted(self.results, key=_NUMBER))
            self.results = []

    def finish(self) -> Sequence[Turn]:
        """Return all turns; count calls without a result as losses."""
        for call_id in self.calls.open_ids():
            self.losses.note(Code.CALL_UNPAIRED, call_id)
        self.flush()
        return self.turns


_NUMBER = itemgetter(0)


class _Once(_Turns):
    """Collects the turns for formats with one result per call."""

    keeps_thoughts = True

    def __init__(self, losses: Losses) -> None:
        """Start a conversation without turns."""
        super().__init__(losses)
        self._placed: dict[int, int] = {}
        """The index of a call's result among the turns, keyed by the number of the call."""
        self._waiting: dict[int, int] = {}
        """The index of a call's result among the pending results, keyed by the call's number."""

    def add_result(self, step: DocumentStep) -> None:
        """Add the result of a tool step; it replaces the result of an earlier run of the call."""
        if found := self.calls.answer(step):
            self._waiting[found[0]] = len(self.results)
            self.results.append((found[0], result_turn(step, found[1])))
            self.note_run(step, found)
        elif found := self.calls.answered(step):
            self._replace(found[0], result_turn(step, found[1]))
            self.note_run(step, found)
        else:
            self.note_run(step, None)
            self.results.append((self.calls.count, result_turn(step, step.id)))

    def _replace(self, number: int, turn: Turn) -> None:
        if (at := self._placed.get(number)) is not None:
            dropped, self.turns[at] = self.turns[at], turn
        else:
            at = self._waiting[number]
            dropped, self.results[at] = self.results[at][1], (number, turn)
        self.losses.note(Code.TOOL_RETRY_DROPPED, dropped.step_id)

    def add_new_messages(self, step: DocumentStep, messages: Sequence[Json], known: int) -> None:
        """Add results without a tool step right after their calls, then the other new messages."""
        new: list[Turn] = []
        for at in range(known, len(messages)):
            message = messages[at]
            role = message["role"]
            if role in _INPUT_ROLES:
                new.append(input_turn(step, message, at))
            elif role == "tool" and (found := self.calls.answer_id(_call_id(message))):
                self.results.append((found[0], input_turn(step, message, at)))
        self.flush()
        self.turns += new

    def flush(self) -> None:
        """Add results as ``_Turns`` does; store their positions, so that they can be replaced."""
        if self.results:
            self.results.sort(key=_NUMBER)
            for at, (number, _) in enumerate(self.results, len(self.turns)):
                if number < self.calls.count:
                    self._placed[number] = at
            self._waiting = {}
            super().flush()


def _call_id(message: Json) -> str:
    return str(message.get("tool_call_id"))


def _shared(before: Sequence[Json], now: Sequence[Json]) -> int:
    """Return the length of the common prefix of two lists of messages."""
    for at, (one, other) in enumerate(zip(before, now, strict=False)):
        if one != other:
            return at
    return min(len(before), len(now))
