"""Finds the new texts of each step: a message is new only in the first step that contains it."""

from __future__ import annotations

from collections import deque
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from spanloom.core.document import Document
from spanloom.core.messages.texts import message_texts, read_texts
from spanloom.core.model.message import CONVERSATION_START
from spanloom.core.model.step import StepType
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.core.model.step import Step


T = TypeVar("T")
NO_TEXT = 0
"""The hash of a step that has no new texts."""
INPUTS_AT_HAND = 8
"""Number of recent conversations with which the input of a model call is compared."""
BETWEEN = "\n\n"
"""Separator of messages in a step's new text."""
_NS_PER_MS = 1_000_000
_AGENTS = frozenset({StepType.AGENT, StepType.GRAPH})


class StepTexts(NamedTuple):
    """The fields of a step that are needed to find its new texts."""

    id: str
    type: str
    name: str
    start_ms: int
    end_ms: int
    input: str
    output: str
    error: str


class NewTexts(NamedTuple):
    """The texts of a step that are new in its run."""

    step_id: str
    type: str
    name: str
    input: str
    output: str
    error: str
    hash: int
    """A hash of all fields above; ``NO_TEXT`` if the step has no new texts."""


def read_step_texts(step: Step) -> StepTexts:
    """Return the texts of a trajectory's step, with times in ms as in the document."""
    start_ms = step.start_ns // _NS_PER_MS
    lasted_ms = max(step.end_ns - step.start_ns, 0) // _NS_PER_MS
    error = step.error.message if step.error is not None else ""
    return StepTexts(
        step.id,
        step.type,
        step.name,
        start_ms,
        start_ms + lasted_ms,
        step.input,
        step.output,
        error,
    )


def read_document_texts(document: Mapping[str, Any]) -> Iterator[StepTexts]:
    """Yield the texts of a canonical document's steps, in the document's order, each step once."""
    view = Document(document)
    if view.root_type in _AGENTS:
        yield read_document_step(view.root)
    yield from map(read_document_step, view.steps)


def find_new_texts(steps: Iterable[StepTexts]) -> Sequence[NewTexts]:
    """Return the new texts of each step, in the order of ``steps``."""
    return _of_each(steps, _new_texts)


def find_hashes(steps: Iterable[StepTexts]) -> Mapping[str, int]:
    """Return ``NewTexts.hash`` of each step, keyed by step id."""
    listed = list(steps)
    return dict(zip((step.id for step in listed), _of_each(listed, _hash), strict=True))


def _of_each(steps: Iterable[StepTexts], make: Callable[[StepTexts, str, str], T]) -> Sequence[T]:
    """Return ``make(step, new input, new output)`` for each step."""
    listed = list(steps)
    try:
        return _find(listed, make)
    except UnicodeEncodeError:  # a lone surrogate, which a document cannot contain
        return _find([_writable(step) for step in listed], make)


def _find(steps: Sequence[StepTexts], make: Callable[[StepTexts, str, str], T]) -> Sequence[T]:
    run = _Run()
    inputs: dict[int, str] = {}
    made: list[T | None] = [None] * len(steps)
    for moment in _in_order_of_time(steps):
        if moment >= 0:
            inputs[moment] = BETWEEN.join(run.new_input(steps[moment]))
        else:
            step = steps[at := ~moment]
            made[at] = make(step, inputs.pop(at, ""), BETWEEN.join(run.new_output(step)))
    return [
        make(steps[at], inputs.get(at, ""), "") if result is None else result
        for at, result in enumerate(made)
    ]


def _in_order_of_time(steps: Sequence[StepTexts]) -> Iterator[int]:
    """Yield inputs and outputs by time: ``at`` is the input of ``steps[at]``, ``~at`` its output.

    At the same millisecond outputs come before inputs, and outputs of inner steps before outputs
    of outer steps. Each moment is one number, because tuples of a long run take much memory: the
    millisecond, the phase in it, the place, and in the last bit whether it is an output.
    """
    count = len(steps)
    width = 2 * count
    moments: list[int] = []
    for at, step in enumerate(steps):
        if step.input:
            moments.append(((step.start_ms * _PHASES + _BEGINS) * width + count + at) << 1)
        if step.output:
            phase, place = _end(at, step)
            moments.append(((step.end_ms * _PHASES + phase) * width + count + place) << 1 | 1)
    moments.sort()
    for moment in moments:
        at = abs((moment >> 1) % width - count)
        yield ~at if moment & 1 else at


_PHASES = 3
_ENDS, _BEGINS, _ENCLOSES = range(_PHASES)


def _end(at: int, step: StepTexts) -> tuple[int, int]:
    """Return phase and place of an output; a step with duration 0 ends before the next begins."""
    if step.end_ms > step.start_ms:
        return _ENDS, -at
    if step.type in _AGENTS:
        return _ENCLOSES, -at
    return _BEGINS, at


class _Run:
    """The texts in the steps of a run that have been read so far."""

    def __init__(self) -> None:
        self._known: set[int] = set()
        """64-bit hashes of the texts; storing the texts would double the memory for them."""
        self._inputs: deque[str] = deque(maxlen=INPUTS_AT_HAND)
        """Recent conversations, each without its closing bracket."""

    def new_input(self, step: StepTexts) -> Sequence[str]:
        """Return the new texts of a step's input; for a tool all texts of the input."""
        if step.type == StepType.TOOL:
            return self._remember(read_texts(step.input))
        if step.type == StepType.MODEL and step.input.startswith(CONVERSATION_START):
            return self._only_new(self._added(step.input))
        return self._only_new(read_texts(step.input))

    def new_output(self, step: StepTexts) -> Sequence[str]:
        """Return the new texts of a step's output; for a model call or tool, all texts are new."""
        texts = read_texts(step.output)
        return self._only_new(texts) if step.type in _AGENTS else self._remember(texts)

    def _added(self, conversation: str) -> Sequence[str]:
        """Return the texts that a conversation adds to a recent one with which it begins, if any.

        Each model call repeats all earlier messages; this way each message is parsed only once.
        """
        known = next(filter(conversation.startswith, self._inputs), "")
        self._inputs.append(conversation[:-1])
        if not known:
            return read_texts(conversation)
        rest = conversation[len(known) + 1 :]  # after a comma, or empty after the last bracket
        added = json_value(f"[{rest}") if rest else []
        return message_texts(added) if isinstance(added, list) else read_texts(conversation)

    def _remember(self, texts: Sequence[str]) -> Sequence[str]:
        self._known.update(map(hash, texts))
        return texts

    def _only_new(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the texts that are not in earlier steps of the run, without repetitions."""
        new = [text for text in dict.fromkeys(texts) if hash(text) not in self._known]
        return self._remember(new)


def _new_texts(step: StepTexts, new_input: str, new_output: str) -> NewTexts:
    own = (step.id, step.type, step.name, new_input, new_output, step.error)
    return NewTexts(*own, _hash(step, new_input, new_output))


def _hash(step: StepTexts, new_input: str, new_output: str) -> int:
    if not (new_input or new_output or step.error):
        return NO_TEXT
    own = (step.id, step.type, step.name, new_input, new_output, step.error)
    digest = blake2b("\0".join(own).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def read_document_step(step: DocumentStep) -> StepTexts:
    """Return the texts of a canonical document's step."""
    start_ms, end_ms = step.times
    return StepTexts(
        step.id,
        step.type,
        step.name,
        start_ms,
        end_ms,
        step.input,
        step.output,
        step.error_message,
    )


def _writable(step: StepTexts) -> StepTexts:
    """Replace lone surrogates in the texts, as in the document (``core/formats/json_bytes.py``)."""
    return step._replace(
        name=_whole(step.name),
        input=_whole(step.input),
        output=_whole(step.output),
        error=_whole(step.error),
    )


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
