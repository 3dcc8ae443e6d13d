"""Compares the messages of two runs: their number, their roles, and the calls of each message."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.formats.conversation import conversation
from spanloom.evaluation.match.difference import Difference
from spanloom.evaluation.match.pairing import MAX_BEST, pair
from spanloom.evaluation.match.words import described, difference_of
from spanloom.evaluation.subject.call import Call
from spanloom.evaluation.subject.message_calls import calls_requested_by, role_of
from spanloom.evaluation.subject.run import root_agent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.evaluation.match.compared import Compared
    from spanloom.evaluation.subject.run import Run


class Turn(NamedTuple):
    """A message: its role, and the range of its calls among all calls."""

    role: str
    first: int
    size: int
    step_id: str


class Turns(NamedTuple):
    """The messages of a run, and their calls."""

    turns: Sequence[Turn]
    calls: Sequence[Call]


def turns_of(run: Run) -> Turns:
    """Return the messages of a run; for a document, the conversation of the root agent.

    Raises ``UnreadableRunError``.
    """
    turns: list[Turn] = []
    calls: list[Call] = []
    for message, step_id in _messages_of(run):
        made = [Call(one.name, one.arguments, step_id) for one in calls_requested_by(message)]
        turns.append(Turn(role_of(message), len(calls), len(made), step_id))
        calls += made
    return Turns(turns, calls)


def _messages_of(run: Run) -> Iterator[tuple[object, str]]:
    if run.is_messages:
        for at, message in enumerate(run.messages):
            yield message, str(at)
    elif (agent := root_agent(run.document)) is not None:
        for turn in conversation(agent):
            yield turn.message, turn.step_id


def differ(ours: Sequence[Turn], theirs: Sequence[Turn], compared: Compared) -> Difference | None:
    """Return the first difference between the messages; ``None`` if they match."""
    for at, (turn, other) in enumerate(zip(ours, theirs, strict=False)):
        if turn.role != other.role:
            roles = f"{turn.role or 'without a role'}, not {other.role or 'without one'}"
            return Difference(f"message {at + 1} is {roles}", _calls_of(ours[at:]))
        if found := _differing_calls(at, turn, other, compared):
            return found
    if len(ours) == len(theirs):
        return None
    words = f"there are {len(ours)} messages, not {len(theirs)}"
    return Difference(words, _calls_of(ours[len(theirs) :]))


def _differing_calls(at: int, turn: Turn, other: Turn, compared: Compared) -> Difference | None:
    """Return the difference between two messages' calls, in any order; ``None`` if they match."""
    own = (1 << other.size) - 1
    masks = [
        compared.masks[n] >> other.first & own for n in range(turn.first, turn.first + turn.size)
    ]
    partners = pair(masks, is_best=max(turn.size, other.size) <= MAX_BEST)
    extra = [turn.first + n for n, partner in enumerate(partners) if partner < 0]
    paired = set(partners)
    missing = [other.first + n for n in range(other.size) if n not in paired]
    if not extra and not missing:
        return None
    return Difference(f"message {at + 1}: {_words(extra, missing, compared)}", extra)


def _words(extra: Sequence[int], missing: Sequence[int], compared: Compared) -> str:
    if not missing:
        return f"{described(compared.actual[extra[0]])} is one call too many"
    if not extra:
        return f"{described(compared.reference[missing[0]])} is missing"
    return f"a call {difference_of(compared.actual[extra[0]], compared.reference[missing[0]])}"


def _calls_of(turns: Iterable[Turn]) -> Sequence[int]:
    return [n for turn in turns for n in range(turn.first, turn.first + turn.size)]
