"""What each step brought into its run: every message once, at the step that had it first."""

from __future__ import annotations

from collections import deque
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from spanloom.core.messages.texts import said_by, said_in
from spanloom.core.model.message import CONVERSATION_START
from spanloom.core.model.trajectory import StepType
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.trajectory import Step


T = TypeVar("T")
NO_TEXT = 0
"""The hash of a step that brought nothing."""
INPUTS_AT_HAND = 8
"""Conversations that a model call is compared with: a run has a few at a time."""
BETWEEN = "\n\n"
"""What stands between two messages of one text."""
_NS_PER_MS = 1_000_000
_AGENTS = frozenset({StepType.AGENT, StepType.GRAPH})


class ToldStep(NamedTuple):
    """A step as far as its texts need it."""

    id: str
    type: str
    name: str
    start_ms: int
    end_ms: int
    input: str
    output: str
    error: str


class NewTexts(NamedTuple):
    """What a step brought."""

    step_id: str
    type: str
    name: str
    input: str
    output: str
    error: str
    hash: int
    """Tells whether any of the above has changed; ``NO_TEXT`` where the step brought nothing."""


def told_step(step: Step) -> ToldStep:
    """Return a step of a trajectory, with its times as precise as a document has them."""
    start_ms = step.start_ns // _NS_PER_MS
    lasted_ms = max(step.end_ns - step.start_ns, 0) // _NS_PER_MS
    error = step.error.message if step.error is not None else ""
    return ToldStep(
        step.id,
        step.type,
        step.name,
        start_ms,
        start_ms + lasted_ms,
        step.input,
        step.output,
        error,
    )


def told_steps(document: Mapping[str, Any]) -> Iterator[ToldStep]:
    """Yield the steps of a canonical document, in its order, each once."""
    root_type = document.get("extraction", {}).get("root_type")
    if root_type in _AGENTS:
        yield _told({**document["root_step"], "type": root_type})
    for agent in document.get("agent_steps", ()):
        yield from map(_told, agent["steps"])


def find_new_texts(steps: Iterable[ToldStep]) -> Sequence[NewTexts]:
    """Return what each of the steps brought, in the order in which they are given."""
    return _of_each(steps, _new_texts)


def find_hashes(steps: Iterable[ToldStep]) -> Mapping[str, int]:
    """Return by their ids the hash of what steps brought, as ``NewTexts`` has it."""
    told = list(steps)
    return dict(zip((step.id for step in told), _of_each(told, _hash), strict=True))


def _of_each(steps: Iterable[ToldStep], make: Callable[[ToldStep, str, str], T]) -> Sequence[T]:
    """Return what is made of each step, what was new of its input, and of its output."""
    told = list(steps)
    try:
        return _find(told, make)
    except UnicodeEncodeError:  # half a surrogate pair, which no document holds
        return _find([_writable(step) for step in told], make)


def _find(told: Sequence[ToldStep], make: Callable[[ToldStep, str, str], T]) -> Sequence[T]:
    run = _Run()
    inputs: dict[int, str] = {}
    made: dict[int, T] = {}
    for is_input, at in _in_order_of_time(told):
        step = told[at]
        if is_input:
            inputs[at] = BETWEEN.join(run.given(step))
        else:
            made[at] = make(step, inputs.pop(at, ""), BETWEEN.join(run.said(step)))
    return [
        made[at] if at in made else make(step, inputs.get(at, ""), "")
        for at, step in enumerate(told)
    ]


def _in_order_of_time(told: Sequence[ToldStep]) -> Iterator[tuple[bool, int]]:
    """Yield whether it is an input, and the number of its step.

    At one moment what ends comes before what begins, and of what ends there the innermost first.
    """
    moments: list[tuple[int, int, int, bool]] = []
    for at, step in enumerate(told):
        if step.input:
            moments.append((step.start_ms, _BEGINS, at, False))
        if step.output:
            moments.append(_end(at, step))
    for _, _, at, is_output in sorted(moments):
        yield not is_output, abs(at)


_ENDS, _BEGINS, _ENCLOSES = range(3)


def _end(at: int, step: ToldStep) -> tuple[int, int, int, bool]:
    """Return when an output was there; what takes no time ends before the next step begins."""
    if step.end_ms > step.start_ms:
        return step.end_ms, _ENDS, -at, True
    if step.type in _AGENTS:
        return step.end_ms, _ENCLOSES, -at, True
    return step.end_ms, _BEGINS, at, True


class _Run:
    """What has been said so far."""

    def __init__(self) -> None:
        self._known: set[int] = set()
        """The 64-bit hash of each text: the texts would be in memory once more."""
        self._inputs: deque[str] = deque(maxlen=INPUTS_AT_HAND)

    def given(self, step: ToldStep) -> Sequence[str]:
        """Return what of an input is the step's own."""
        if step.type == StepType.TOOL:
            return self._remember(said_in(step.input))
        if step.type == StepType.MODEL and step.input.startswith(CONVERSATION_START):
            return self._unheard(self._added(step.input))
        return self._unheard(said_in(step.input))

    def said(self, step: ToldStep) -> Sequence[str]:
        """Return what of an output is the step's own."""
        texts = said_in(step.output)
        return self._unheard(texts) if step.type in _AGENTS else self._remember(texts)

    def _added(self, conversation: str) -> Sequence[str]:
        """Return what a conversation says beyond those that are known to the letter.

        A run of a thousand calls has each message a thousand times; it is read once.
        """
        known = next((each for each in self._inputs if _goes_on(conversation, each)), "")
        self._inputs.append(conversation)
        if not known:
            return said_in(conversation)
        added = json_value(f"[{conversation[len(known) :]}") if conversation != known else []
        return said_by(added) if isinstance(added, list) else said_in(conversation)

    def _remember(self, texts: Sequence[str]) -> Sequence[str]:
        self._known.update(map(hash, texts))
        return texts

    def _unheard(self, texts: Sequence[str]) -> Sequence[str]:
        """Return those of the texts that nobody said before, each once."""
        new = [text for text in dict.fromkeys(texts) if hash(text) not in self._known]
        return self._remember(new)


def _goes_on(conversation: str, known: str) -> bool:
    """Return whether a list of messages is another one, or begins with all of it."""
    if conversation == known:
        return True
    return conversation.startswith(known[:-1]) and conversation[len(known) - 1] == ","


def _new_texts(step: ToldStep, given: str, said: str) -> NewTexts:
    own = (step.id, step.type, step.name, given, said, step.error)
    return NewTexts(*own, _hash(step, given, said))


def _hash(step: ToldStep, given: str, said: str) -> int:
    if not (given or said or step.error):
        return NO_TEXT
    own = (step.id, step.type, step.name, given, said, step.error)
    digest = blake2b("\0".join(own).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def _told(step: Mapping[str, Any]) -> ToldStep:
    info = step["basic_info"]
    start_ms = int(info["started_at"])
    error = info.get("error") or {}
    return ToldStep(
        step["id"],
        step["type"],
        step["name"],
        start_ms,
        start_ms + int(info["duration"]),
        step["input"],
        step["output"],
        error.get("msg", ""),
    )


def _writable(step: ToldStep) -> ToldStep:
    """Return the step as a document has it (``core/formats/json_bytes.py``)."""
    return step._replace(
        name=_whole(step.name),
        input=_whole(step.input),
        output=_whole(step.output),
        error=_whole(step.error),
    )


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
