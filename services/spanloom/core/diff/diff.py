"""Compares two canonical documents step by step."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.diff.align import align
from spanloom.core.diff.changes import Change, find_changes, of_one_side
from spanloom.core.diff.inputs import ModelInputs, ShownMessages
from spanloom.core.diff.steps import DiffStep, Signature, owned_steps, root_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.diff.steps import Json


class Row(NamedTuple):
    """A step of one run, or a pair of corresponding steps."""

    op: str
    """``same``, ``changed``, ``added`` (only in the second run), ``removed`` or ``moved``."""
    a: DiffStep | None
    b: DiffStep | None
    changes: Sequence[Change] = ()
    """The fields that differ; model, input, output and error if only one run has the step."""


class Diff(NamedTuple):
    """The differences of two runs."""

    rows: Sequence[Row]
    """Every step of both runs in the second run's order; removed steps as in the first run."""
    counts: dict[str, int]
    """Number of rows by ``op``."""

    @property
    def is_same(self) -> bool:
        """Whether every step is the same in both runs."""
        return self.counts["same"] == len(self.rows)


def diff_documents(a: Json, b: Json) -> Diff:
    """Return the differences of two canonical documents."""
    comparison = _Comparison(a, b)
    rows = comparison.with_details(_with_moves(list(comparison.rows())))
    counts = dict.fromkeys(("same", "changed", "added", "removed", "moved"), 0)
    for row in rows:
        counts[row.op] += 1
    return Diff(rows, counts)


class _Comparison:
    """The agents of two runs, paired from the top down."""

    def __init__(self, a: Json, b: Json) -> None:
        self._roots = root_of(a), root_of(b)
        self._runs = owned_steps(a), owned_steps(b)
        keys: dict[str, int] = {}
        self._inputs = ModelInputs(keys), ModelInputs(keys)
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

    def _paired(self, a: DiffStep, b: DiffStep, op: str = "") -> Row:
        changes = tuple(find_changes(a, b, *self._inputs))
        return Row(op or ("changed" if changes else "same"), a, b, changes)

    def with_details(self, rows: Iterable[Row]) -> list[Row]:
        """Return rows with their differences, also differences in messages of earlier calls."""
        detailed = [self._detailed(row) for row in rows]
        messages = ShownMessages(*self._inputs)
        for row in detailed:
            messages.add(row.a, row.b)
        return [self._with_history(row, messages) for row in detailed]

    def _detailed(self, row: Row) -> Row:
        if row.a is not None and row.b is not None:
            return self._paired(row.a, row.b, "moved") if row.op == "moved" else row
        step, side = (row.b, 1) if row.a is None else (row.a, 0)
        return row if step is None else row._replace(changes=of_one_side(step, side, self._inputs))

    def _with_history(self, row: Row, messages: ShownMessages) -> Row:
        if (
            row.a is None
            or row.b is None
            or (whole := messages.unshown_inputs(row.a, row.b)) is None
        ):
            return row
        changes = [one for one in row.changes if one.field != "input"]
        op = "changed" if row.op == "same" else row.op
        return row._replace(op=op, changes=(*changes, Change("input", *whole)))

    def _below(self, step: DiffStep | None, side: int) -> Sequence[DiffStep]:
        if step is None or (owned := self._runs[side].get(step.id)) is None:
            return ()
        return [inner for inner in owned if inner.id != step.id]


def _with_moves(rows: Sequence[Row]) -> list[Row]:
    """Join a removed step and an equal added step into one row, because the step has moved."""
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
