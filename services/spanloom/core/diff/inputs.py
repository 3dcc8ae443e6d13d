"""Inputs of model calls: new messages, and differences in messages that earlier calls had."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from spanloom.core.diff.steps import DiffStep, Json

Key = TypeVar("Key", bound="Hashable")


def pair_up(a: Sequence[Key], b: Sequence[Key]) -> Iterator[tuple[int | None, int | None]]:
    """Yield the positions of corresponding items; ``None`` where only one side has an item.

    Equal items correspond in order; items that replace each other are paired one by one.
    """
    for _, from_a, to_a, from_b, to_b in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        yield from zip_longest(range(from_a, to_a), range(from_b, to_b))


class ModelInputs:
    """The new messages of each model call, excluding messages of its agent's earlier calls.

    Every call repeats all earlier messages, so one early change would mark all later calls.
    """

    def __init__(self, keys: dict[str, int]) -> None:
        """Start without steps; two compared runs share ``keys``, so that equal messages match."""
        self._keys = keys
        self._unread: dict[str, Sequence[DiffStep]] = {}
        self._all: dict[str, Sequence[int]] = {}
        self._new: dict[str, Sequence[int]] = {}
        self._messages: dict[int, Json] = {}

    def add(self, steps: Sequence[DiffStep]) -> None:
        """Add the steps of an agent in their order; their inputs are parsed on demand."""
        calls = [step for step in steps if step.type == "model"]
        self._unread.update((step.id, calls) for step in calls)

    def new_messages(self, step: DiffStep) -> Sequence[Json] | None:
        """Return the messages that no earlier call had; ``None`` if the input has no messages."""
        self._read_agent(step)
        new = self._new.get(step.id)
        return None if new is None else self.messages(new)

    def messages(self, keys: Sequence[int]) -> Sequence[Json]:
        """Return the messages with these keys."""
        return [self._messages[key] for key in keys]

    def keys(self, step: DiffStep, *, new: bool = False) -> Sequence[int] | None:
        """Return a number for each message in a call's input; equal messages have equal numbers.

        With ``new`` only the messages that no earlier call of the agent had. ``None`` if the input
        has no messages.
        """
        self._read_agent(step)
        return (self._new if new else self._all).get(step.id)

    def _read_agent(self, step: DiffStep) -> None:
        """Parse the inputs of all calls by the step's agent, once; equal runs never need them."""
        seen: set[int] = set()
        for call in self._unread.get(step.id, ()):
            del self._unread[call.id]
            if (messages := call.input_messages) is None:
                continue
            keys = [self._key(message) for message in messages]
            self._all[call.id] = keys
            self._new[call.id] = [key for key in keys if key not in seen]
            seen.update(keys)

    def _key(self, message: Json) -> int:
        key = self._keys.setdefault(repr(message), len(self._keys))
        self._messages[key] = message
        return key


class ShownMessages:
    """The messages of both runs that the rows of a diff show as different.

    A later call that repeats these messages is not shown as different again. Its whole input is
    shown only if it differs otherwise, for example because it leaves out a message.
    """

    def __init__(self, inputs_a: ModelInputs, inputs_b: ModelInputs) -> None:
        """Start without messages; the arguments are the inputs of the two runs."""
        self._inputs = inputs_a, inputs_b
        self._pair_numbers: tuple[dict[int, int | None], ...] = {}, {}
        self._count = 0

    def add(self, a: DiffStep | None, b: DiffStep | None) -> None:
        """Add a row's new messages that differ: one run replaced them or does not have them."""
        if a is not None and b is not None and (a.type != "model" or a.input == b.input):
            return
        ours, theirs = (self._new(side, step) for side, step in enumerate((a, b)))
        for i, j in pair_up(ours, theirs) if ours != theirs else ():
            if i is None or j is None:
                self._note(
                    0 if j is None else 1, ours[i] if i is not None else theirs[j or 0], None
                )
            elif ours[i] != theirs[j]:
                self._count -= 1  # negative, so it is not the key of a message
                self._note(0, ours[i], self._count)
                self._note(1, theirs[j], self._count)

    def unshown_inputs(
        self, a: DiffStep, b: DiffStep
    ) -> tuple[Sequence[Json], Sequence[Json]] | None:
        """Return both whole inputs if more than the shown messages differs; else ``None``."""
        if a.type != "model" or b.type != "model" or a.input == b.input:
            return None
        ours, theirs = (one.keys(step) for one, step in zip(self._inputs, (a, b), strict=True))
        if ours is None or theirs is None or self._left(0, ours) == self._left(1, theirs):
            return None
        return self._inputs[0].messages(ours), self._inputs[1].messages(theirs)

    def _new(self, side: int, step: DiffStep | None) -> Sequence[int]:
        is_call = step is not None and step.type == "model"
        return (self._inputs[side].keys(step, new=True) or ()) if step and is_call else ()

    def _note(self, side: int, key: int, pair_number: int | None) -> None:
        self._pair_numbers[side].setdefault(key, pair_number)

    def _left(self, side: int, keys: Sequence[int]) -> list[int]:
        """Return ``keys`` without messages that only one run has; paired messages share a key."""
        numbers = self._pair_numbers[side]
        found = (numbers.get(key, key) for key in keys)
        return [key for key in found if key is not None]
