"""Reads rows of steps of known runs, and compiles the condition on steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.model.step import StepType
from spanloom.core.ports.steps import ListedStep
from spanloom.core.query.where.fields import Subject
from spanloom.core.records.declared import Read
from spanloom.core.records.step import STEP, StepRow
from spanloom.storage.engine.parameters import Condition
from spanloom.storage.engine.statements import query
from spanloom.storage.where.columns import joined_items
from spanloom.storage.where.compile import Compiler
from spanloom.storage.where.side_tables import SideTables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.model.access import Reach
    from spanloom.core.ports.steps import StepSelection
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row

_READ = {field.name: read.sql for field in STEP.fields if (read := field.find(Read))}
_FIELDS = tuple(_READ)
_COLUMNS = ", ".join(f"{sql} AS {name}" for name, sql in _READ.items())
_OPTIONAL_TEXTS = [f.name for f in STEP.fields if f.is_optional and f.kind is str]
_TYPES = {one.value: one for one in StepType}


def condition_on_steps(asker: Connection, reach: Reach, asked: StepSelection) -> Condition:
    """Return the condition on a step; its parameters have other names than those for runs."""
    if asked.where is None:
        return Condition("true", {})
    compiler = Compiler(SideTables(asker, reach), prefix="s")
    return Condition(compiler.to_sql(asked.where, Subject.STEP), compiler.literals.values)


def read_steps(
    asker: Connection, versions: Iterable[object], steps: Condition, order: Condition, most: int
) -> list[ListedStep]:
    """Return the steps of some runs that meet a condition.

    Each of ``versions`` identifies a row of the run list: project, start, trace id, rank, version.
    """
    named = f"{query('step_rows')} {_COLUMNS} {steps.text} {order.text}"
    rows = asker.rows(
        "step_rows",
        versions=list(versions),
        columns=Condition(_COLUMNS, {}),
        items=Condition(joined_items(named), {}),
        steps=steps,
        order=order,
        most=most,
    )
    return list(map(_step_of, rows))


def _step_of(row: Row) -> ListedStep:
    """Return a row of ``step_rows.sql`` as a step."""
    values: dict[str, Any] = dict(zip(_FIELDS, row, strict=False))  # the other values only sort
    values["type"] = _TYPES[values["type"]]
    for name in _OPTIONAL_TEXTS:
        values[name] = values[name] or None
    return ListedStep(StepRow.trusted(values), row.StartTimeUnixNano)
