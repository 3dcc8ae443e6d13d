"""The messages of an agent as one conversation: one message per turn, in order.

It is built from the steps, not copied from the last model call's input: only in 176 of 228 captured
pairs of neighbouring calls was the earlier conversation a prefix of the later one. Each input adds
its system, developer and user messages after the prefix shared with the input before; each output
adds one assistant message; each tool step adds its result.

A tool step belongs to a call of the same agent by call id; else by the tool's name and equal
arguments, where LangChain writes a single argument bare (``{"city": "Oslo"}`` as ``Oslo``); else by
the oldest open call of that tool. In 295 captured runs 126 tool steps are matched by the first, 125
by the second, 14 by the third; 30 have no call, such as those of retrievers.
"""

from __future__ import annotations

from collections import defaultdict, deque
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.core.conventions.listed_messages import HISTORY, OMITTED
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.messages.texts import messages_in
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentAgent, DocumentStep
    from spanloom.core.formats.json_bytes import Json

_HEARD = frozenset({"system", "developer", "user"})
_OF_ANSWERS = frozenset({"role", "content", "tool_calls", "reasoning_content"})
_OF_HEARD = frozenset({"role", "content", "name"})
"""Members of messages that conversations have; others are counted."""
_LAST = 2**31
"""Number of a result without a call: it comes after those that answer one."""


class Turn(NamedTuple):
    """A message, and the step it comes from."""

    message: Json
    step_id: str
    parts: Mapping[tuple[str, str], tuple[str, int]]
    """Where the step's texts are in the message: ``("output", "0.content")`` at
    ``("content", 12)``, an offset in UTF-16 code units."""


def conversation(
    agent: DocumentAgent, losses: Losses | None = None, *, repeats: bool = False
) -> Sequence[Turn]:
    """Return the turns of an agent; only model and tool steps have turns.

    Results of tools that ran in parallel are in the order of their calls. With ``losses``, what the
    conversation does not tell is noted, and for a format that has one result per call the last run
    of a call is its result, a result that only an input has comes right after its call, and answers
    keep their thoughts. With ``repeats`` every run of a call has its result.
    """
    told = _Told(losses or Losses()) if losses is None or repeats else _Once(losses)
    for step in agent.steps:
        if step.type == "tool":
            told.add_result(step)
        elif step.type == "model":
            told.add_call(step)
    return told.finish()


class _Told:
    """The turns so far."""

    def __init__(self, losses: Losses) -> None:
        """Begin a conversation."""
        self.losses = losses
        self.turns: list[Turn] = []
        self.results: list[tuple[int, Turn]] = []
        """With the number of the call, by which they are put in order."""
        self.calls = OpenCalls()
        self.heard: Sequence[Json] = ()
        self.told: set[str] = set()
        """The texts of answers and results so far."""

    def add_result(self, step: DocumentStep) -> None:
        """Add the result of a tool step."""
        found = self.calls.answer(step)
        number, call_id = found or (_LAST, "")
        self.note_run(step, found)
        self.results.append((number, _result(step, call_id or step.id)))

    def note_run(self, step: DocumentStep, call: tuple[int, str] | None) -> None:
        """Note a run without a call, and an input that no call has as its arguments."""
        self.told.add(step.output or step.error_message)
        if call is None:
            self.losses.note(Code.CALL_UNPAIRED, step.id)
        if step.input and (call is None or not self.calls.has(call[0], step.input)):
            self.losses.note(Code.TEXTS_DROPPED, step.id)

    def add_call(self, step: DocumentStep) -> None:
        """Add what a model step heard for the first time, and what it answered."""
        said = messages_in(step.input, "user")
        is_omitted = step.metadata.get(HISTORY) == OMITTED
        known = 0 if is_omitted else _shared(self.heard, said)
        if said and known < len(self.heard) and not is_omitted:
            self.losses.note(Code.HISTORY_REWRITTEN, step.id)
        self.note_unsaid(step, said[known:])
        self.add_news(step, said, known)
        self.add_answer(step)
        self.heard = said

    def add_news(self, step: DocumentStep, said: Sequence[Json], known: int) -> None:
        """Add the new messages; also tool results for which there is no tool step."""
        self.flush()
        for at, message in enumerate(said[known:], known):
            if message["role"] in _HEARD or self._is_result(message):
                self.turns.append(_heard(step, said, at))

    def note_unsaid(self, step: DocumentStep, new: Sequence[Json]) -> None:
        """Note what a model heard otherwise than the steps have it, and what no message tells."""
        unsaid = odd = 0
        for message in new:
            role = message["role"]
            if role in _HEARD:
                odd += not message.keys() <= _OF_HEARD
            elif role == "tool":
                unsaid += not (self._is_told(message) or self.calls.is_open(_call_id(message)))
            elif role == "assistant":
                calls = message.get("tool_calls")
                known = all(map(self.calls.knows, calls if isinstance(calls, list) else ()))
                unsaid += not (known and self._is_told(message))
            else:
                unsaid += 1
        if unsaid:
            self.losses.note(Code.TEXTS_DROPPED, step.id, unsaid)
        if odd:
            self.losses.note(Code.METADATA_DROPPED, step.id, odd)

    def _is_told(self, message: Json) -> bool:
        text = text_of(message.get("content"))
        return not text or text in self.told

    def _is_result(self, message: Json) -> bool:
        is_tool = message["role"] == "tool"
        return is_tool and self.calls.answer_id(_call_id(message)) is not None

    def add_answer(self, step: DocumentStep) -> None:
        """Add a model's output, and its calls to the open ones."""
        self.turns += (answers := list(_answer(step, self.losses)))
        self.told.update(turn.message["content"] for turn in answers)
        for call in (c for turn in answers for c in turn.message.get("tool_calls", ())):
            if not isinstance(self.calls.add(call), dict):
                self.losses.note(Code.ARGS_NOT_OBJECT, step.id)
            if call["id"].startswith(f"{step.id}."):
                self.losses.note(Code.CALL_ID_MADE, step.id)

    def flush(self) -> None:
        """Add the results since the last model step, in the order of their calls."""
        self.turns += (turn for _, turn in sorted(self.results, key=itemgetter(0)))
        self.results = []

    def finish(self) -> Sequence[Turn]:
        """Return all turns; note calls without a result."""
        for call_id in self.calls.open_ids():
            self.losses.note(Code.CALL_UNPAIRED, call_id)
        self.flush()
        return self.turns


class _Once(_Told):
    """The same for formats with one result per call."""

    def __init__(self, losses: Losses) -> None:
        """Begin a conversation."""
        super().__init__(losses)
        self._placed: dict[int, int] = {}
        """Where the result of a call is in the turns, by the number of the call."""
        self._waiting: dict[int, int] = {}
        """Where it is in the results, before these are in the turns."""

    def add_result(self, step: DocumentStep) -> None:
        """Add the result of a tool step, instead of that of an earlier run of the call."""
        if found := self.calls.answer(step):
            self._waiting[found[0]] = len(self.results)
            self.results.append((found[0], _result(step, found[1])))
            self.note_run(step, found)
        elif found := self.calls.answered(step):
            self._replace(found[0], _result(step, found[1]))
            self.note_run(step, found)
        else:
            self.note_run(step, None)
            self.results.append((self.calls.count, _result(step, step.id)))

    def _replace(self, number: int, turn: Turn) -> None:
        if (at := self._placed.get(number)) is not None:
            dropped, self.turns[at] = self.turns[at], turn
        else:
            at = self._waiting[number]
            dropped, self.results[at] = self.results[at][1], (number, turn)
        self.losses.note(Code.TOOL_RETRY_DROPPED, dropped.step_id)

    def add_news(self, step: DocumentStep, said: Sequence[Json], known: int) -> None:
        """Add the new messages; results without a tool step first, after their calls."""
        new = list(enumerate(said[known:], known))
        for at, message in new:
            if message["role"] == "tool":
                found = self.calls.answer_id(_call_id(message))
                if found is not None:
                    self.results.append((found[0], _heard(step, said, at)))
        self.flush()
        self.turns += (_heard(step, said, at) for at, m in new if m["role"] in _HEARD)

    def add_answer(self, step: DocumentStep) -> None:
        """Add a model's output with its thoughts; note what its calls lack."""
        before = len(self.turns)
        super().add_answer(step)
        for turn in self.turns[before:]:
            if thoughts := _thoughts(step):
                turn.message["reasoning_content"] = thoughts

    def flush(self) -> None:
        """See ``_Told``; remember where the result of a call is."""
        for at, (number, _) in enumerate(sorted(self.results, key=itemgetter(0)), len(self.turns)):
            if number < self.calls.count:
                self._placed[number] = at
        self._waiting = {}
        super().flush()


def arguments_of(call: Json) -> Json | None:
    """Return the arguments of a call if they are an object, also as text; else ``None``."""
    function = call.get("function")
    given = function.get("arguments") if isinstance(function, dict) else None
    value = json_value(given) if isinstance(given, str) else given
    return value if isinstance(value, dict) else None


def _call_id(message: Json) -> str:
    return str(message.get("tool_call_id"))


def _thoughts(step: DocumentStep) -> str:
    """Return the thoughts of a model's output."""
    if '"reasoning_content"' not in step.output:
        return ""
    found = (m.get("reasoning_content") for m in messages_in(step.output, "assistant"))
    return "\n".join(text for text in found if isinstance(text, str) and text)


def _result(step: DocumentStep, call_id: str) -> Turn:
    """Return the message with a tool's result or error message."""
    text = step.output or step.error_message
    message = {"role": "tool", "tool_call_id": call_id, "name": step.name, "content": text}
    return Turn(message, step.id, {("output", ""): ("content", 0)})


def _heard(step: DocumentStep, said: Sequence[Json], at: int) -> Turn:
    """Return a message of a model's input as a turn."""
    message = said[at]
    places = (("input", f"{at}.content"), ("input", "")) if len(said) == 1 else None
    parts = dict.fromkeys(places or [("input", f"{at}.content")], ("content", 0))
    kept = {name: value for name, value in message.items() if name != "tool_calls"}
    is_said = isinstance(message.get("content"), str | list)
    return Turn(kept if is_said else kept | {"content": ""}, step.id, parts)


def _answer(step: DocumentStep, losses: Losses) -> Iterator[Turn]:
    """Yield one turn for a model's output, its messages joined; none if it is empty."""
    texts: list[str] = []
    calls: list[Json] = []
    parts: dict[tuple[str, str], tuple[str, int]] = {}
    answers = messages_in(step.output, "assistant")
    for at, answer in enumerate(answers):
        if not answer.keys() <= _OF_ANSWERS:
            losses.note(Code.METADATA_DROPPED, step.id)
        if text := text_of(answer.get("content")):
            parts["output", f"{at}.content"] = "content", sum(_units(t) + 1 for t in texts)
            texts.append(text)
        listed = answer.get("tool_calls")
        for k, call in enumerate(listed if isinstance(listed, list) else ()):
            if not isinstance(call, dict):
                continue
            place = "output", f"{at}.tool_calls.{k}.function.arguments"
            parts[place] = f"tool_calls.{len(calls)}.function.arguments", 0
            calls.append({**call, "id": str(call.get("id") or f"{step.id}.{len(calls)}")})
    if answers:
        if len(answers) == 1:
            parts["output", ""] = "content", 0
        message = {"role": "assistant", "content": "\n".join(texts)}
        yield Turn(message | ({"tool_calls": calls} if calls else {}), step.id, parts)


def _shared(before: Sequence[Json], now: Sequence[Json]) -> int:
    """Return the length of the common prefix."""
    pairs = enumerate(zip(before, now, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(before), len(now)))


def text_of(content: object) -> str:
    """Return the text of a message's content, without media."""
    if isinstance(content, list):
        said = [p.get("text") for p in content if isinstance(p, dict) and p.get("type") == "text"]
        return "\n".join(text for text in said if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class OpenCalls:
    """The tool calls of an agent's models that no tool step has answered yet."""

    def __init__(self) -> None:
        """Start without calls."""
        self._waiting: defaultdict[Hashable, deque[tuple[int, str]]] = defaultdict(deque)
        self._answered: set[int] = set()
        self._last: dict[Hashable, tuple[int, str]] = {}
        """The call that was answered last, by id and by name and arguments."""
        self._calls: list[tuple[int, str]] = []
        self._arguments: list[tuple[object, object]] = []
        """As given, and parsed."""

    def add(self, call: Json) -> object:
        """Add a call as in messages, ``{id, function: {name, arguments}}``.

        Return its arguments, parsed.
        """
        place = self.count, str(call.get("id", ""))
        self._calls.append(place)
        given = call.get("function")
        function = given if isinstance(given, dict) else {}
        given = function.get("arguments", "")
        self._arguments.append((given, value := _value(given)))
        for key in _keys(place[1], str(function.get("name", "")), value):
            self._waiting[key].append(place)
        return value

    def has(self, number: int, text: str) -> bool:
        """Return whether a text is the arguments of a call, as JSON or as they are."""
        given, value = self._arguments[number]
        return given == text or bool(value == json_value(text))

    def answer(self, step: DocumentStep) -> tuple[int, str] | None:
        """Return number and id of the call that a tool step answers, and close it; or ``None``."""
        keys = list(_keys_of(step))
        place = next((place for key in keys if (place := self._taken(key))), None)
        if place is not None:
            self._last.update((key, place) for key in (*keys, ("id", place[1])) if key[0] != "name")
        return place

    def answered(self, step: DocumentStep) -> tuple[int, str] | None:
        """Return number and id of the answered call of which a tool step is a further run.

        It has the same id; without ids, the same tool and arguments.
        """
        keys = list(_keys_of(step))
        certain = keys[:1] if keys[0][0] == "id" else [key for key in keys if key[0] == "said"]
        return next((self._last[key] for key in certain if key in self._last), None)

    def answer_id(self, call_id: str) -> tuple[int, str] | None:
        """Return number and id of the call if it was open, and close it."""
        place = self._taken(("id", call_id))
        if place is not None:
            self._last["id", call_id] = place
        return place

    def is_open(self, call_id: str) -> bool:
        """Return whether a call with this id has no result yet."""
        waiting = self._waiting.get(("id", call_id), ())
        return any(number not in self._answered for number, _ in waiting)

    def knows(self, call: object) -> bool:
        """Return whether there was such a call: of the id, or of the name and arguments."""
        given = call.get("function") if isinstance(call, dict) else None
        if not isinstance(call, dict) or not isinstance(given, dict):
            return False
        if ("id", str(call.get("id") or "")) in self._waiting:
            return True
        keys = _keys("", str(given.get("name", "")), _value(given.get("arguments", "")))
        return any(key in self._waiting for key in keys if key[0] != "name")

    def open_ids(self) -> Iterator[str]:
        """Yield the ids of the calls without a result."""
        return (call_id for number, call_id in self._calls if number not in self._answered)

    @property
    def count(self) -> int:
        """How many calls there are."""
        return len(self._calls)

    def _taken(self, key: Hashable) -> tuple[int, str] | None:
        waiting = self._waiting.get(key)
        while waiting:
            place = waiting.popleft()
            if place[0] not in self._answered:
                self._answered.add(place[0])
                return place
        return None


def _keys_of(step: DocumentStep) -> Iterator[tuple[str, ...]]:
    call_id = str(step.metadata.get("tool_call_id", ""))
    return _keys(call_id, step.name, json_value(step.input))


def _keys(call_id: str, name: str, value: object) -> Iterator[tuple[str, ...]]:
    """Yield the keys by which a call matches a tool step, the most certain first.

    ``value`` are the arguments, parsed.
    """
    if call_id:
        yield "id", call_id
    yield "said", name, _plain(value)
    if isinstance(value, dict) and len(value) == 1:
        yield "said", name, _plain(next(iter(value.values())))
    yield "name", name


def _value(arguments: object) -> object:
    return json_value(arguments) if isinstance(arguments, str) else arguments


def _plain(value: object) -> str:
    return (
        value
        if isinstance(value, str)
        else orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    )
