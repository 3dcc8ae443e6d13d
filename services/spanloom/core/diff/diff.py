"""Compares two canonical documents step by step, and finds what differs between two steps."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.diff.align import align
from spanloom.core.diff.steps import DiffStep, Signature, owned_steps, root_of, without_ids
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.diff.steps import Json


class Row(NamedTuple):
    """A step of one run, or a pair of steps of both."""

    op: str
    """``same``, ``changed``, ``added`` (only in the second run), ``removed`` or ``moved``."""
    a: DiffStep | None
    b: DiffStep | None
    changes: Sequence[Change] = ()


class Diff(NamedTuple):
    """The differences of two runs."""

    rows: Sequence[Row]
    """Every step of both in the order of the second run; removed steps where the first had them."""
    counts: dict[str, int]
    """Number of rows by ``op``."""

    @property
    def is_same(self) -> bool:
        """Whether every step is the same in both runs."""
        return self.counts["same"] == len(self.rows)


def diff_documents(a: Json, b: Json) -> Diff:
    """Return the differences of two canonical documents."""
    rows = _with_moves(list(_Comparison(a, b).rows()))
    counts = dict.fromkeys(("same", "changed", "added", "removed", "moved"), 0)
    for row in rows:
        counts[row.op] += 1
    return Diff(rows, counts)


class _Comparison:
    """The agents of two runs, paired from the top down."""

    def __init__(self, a: Json, b: Json) -> None:
        self._roots = root_of(a), root_of(b)
        self._runs = owned_steps(a), owned_steps(b)
        self._inputs = ModelInputs(), ModelInputs()
        for runs, inputs in zip(self._runs, self._inputs, strict=True):
            for steps in runs.values():
                inputs.add(steps)

    def rows(self) -> Iterator[Row]:
        """Yield every step, each agent followed by its steps; agents may nest to any depth."""
        levels: list[Iterator[Row]] = [iter([self._paired(*self._roots)])]
        while levels:
            row = next(levels[-1], None)
            if row is None:
                levels.pop()
                continue
            yield row
            below = self._below(row.a, 0), self._below(row.b, 1)
            if any(below):
                levels.append(self._level(*below))

    def _level(self, a: Sequence[DiffStep], b: Sequence[DiffStep]) -> Iterator[Row]:
        i = j = 0
        for next_i, next_j in [*align(a, b), (len(a), len(b))]:
            for step in a[i:next_i]:
                yield Row("removed", step, None)
            for step in b[j:next_j]:
                yield Row("added", None, step)
            if next_i < len(a):
                yield self._paired(a[next_i], b[next_j])
            i, j = next_i + 1, next_j + 1

    def _paired(self, a: DiffStep, b: DiffStep) -> Row:
        changes = tuple(find_changes(a, b, *self._inputs))
        return Row("changed" if changes else "same", a, b, changes)

    def _below(self, step: DiffStep | None, side: int) -> Sequence[DiffStep]:
        if step is None or (owned := self._runs[side].get(step.id)) is None:
            return ()
        return [inner for inner in owned if inner.id != step.id]


def _with_moves(rows: Sequence[Row]) -> list[Row]:
    """Join a removed step and an equal added one into one row: the step has moved."""
    gone: defaultdict[Signature, list[DiffStep]] = defaultdict(list)
    for row in reversed(rows):
        if row.op == "removed" and row.a is not None:
            gone[row.a.signature].append(row.a)
    moved = {}
    for row in rows:
        if row.op == "added" and row.b is not None and gone[row.b.signature]:
            moved[row.b.id] = gone[row.b.signature].pop()
    from_there = {step.id for step in moved.values()}
    return [
        Row("moved", moved[row.b.id], row.b)
        if row.b is not None and row.op == "added" and row.b.id in moved
        else row
        for row in rows
        if not (row.op == "removed" and row.a is not None and row.a.id in from_there)
    ]


SLOWER_BY = 0.2
"""Durations differ by more than a fifth and 50 ms; smaller differences are noise."""
SLOWER_BY_MS = 50


class Change(NamedTuple):
    """A field with its two different values."""

    field: str
    """``input.limit``, ``output``, ``name``, ``model``, ``error``, ``duration`` (ms)."""
    a: object
    b: object


class ModelInputs:
    """The new messages of each model call: its input without those of its agent's earlier calls.

    Every call repeats all earlier messages: one early change would mark all later calls.
    """

    def __init__(self) -> None:
        """Start without steps."""
        self._agent_steps: dict[str, Sequence[DiffStep]] = {}
        self._new: dict[str, Sequence[Json]] = {}

    def add(self, steps: Sequence[DiffStep]) -> None:
        """Add the steps of an agent in their order; their inputs are parsed on demand."""
        self._agent_steps.update((step.id, steps) for step in steps if step.type == "model")

    def new_messages(self, step: DiffStep) -> Sequence[Json] | None:
        """Return the messages that no earlier call had; ``None`` if the input has no messages.

        The inputs of an agent are parsed on the first call: for equal runs never.
        """
        if step.id not in self._new and step.id in self._agent_steps:
            self._read(self._agent_steps[step.id])
        return self._new.get(step.id)

    def _read(self, steps: Sequence[DiffStep]) -> None:
        seen: set[str] = set()
        for step in steps:
            if step.type == "model" and (messages := step.input_messages) is not None:
                self._new[step.id] = [m for m in messages if repr(m) not in seen]
                seen.update(map(repr, messages))


def find_changes(
    a: DiffStep, b: DiffStep, inputs_a: ModelInputs, inputs_b: ModelInputs
) -> Iterator[Change]:
    """Yield the fields that differ between two steps, in display order."""
    if a.type != b.type:  # only roots can differ
        yield Change("type", a.type, b.type)
    if a.name != b.name:
        yield Change("name", a.name, b.name)
    if a.model != b.model:
        yield Change("model", a.model, b.model)
    if a.input != b.input:
        yield from _of_inputs(a, b, inputs_a, inputs_b)
    if a.output != b.output and _answer(a) != _answer(b):
        yield from _of_texts("output", a.output, b.output)
    if a.error != b.error:
        yield Change("error", a.error, b.error)
    apart_ms = abs(a.duration_ms - b.duration_ms)
    if apart_ms > max(SLOWER_BY * a.duration_ms, SLOWER_BY * b.duration_ms, SLOWER_BY_MS):
        yield Change("duration", a.duration_ms, b.duration_ms)


def _answer(step: DiffStep) -> str:
    """Return an output without call ids; a model's signature already has it so."""
    return step.signature.text if step.type == "model" else without_ids(step.output)


def _of_inputs(
    a: DiffStep, b: DiffStep, inputs_a: ModelInputs, inputs_b: ModelInputs
) -> Iterator[Change]:
    ours, theirs = inputs_a.new_messages(a), inputs_b.new_messages(b)
    if a.type != "model" or ours is None or theirs is None:
        yield from _of_texts("input", a.input, b.input)
    elif ours != theirs:
        yield Change("input", list(ours), list(theirs))


def _of_texts(field: str, a: str, b: str) -> Iterator[Change]:
    """Yield the members that differ if both are JSON objects, else the two texts."""
    ours, theirs = json_value(a), json_value(b)
    if not isinstance(ours, dict) or not isinstance(theirs, dict):
        yield Change(field, a, b)
        return
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours or name not in theirs or ours[name] != theirs[name]:
            yield Change(f"{field}.{name}", ours.get(name), theirs.get(name))
