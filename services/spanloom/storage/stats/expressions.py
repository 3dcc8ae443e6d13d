"""What is counted and by what, as SQL: from the columns of fields alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.query.stats import COUNT, QUANTILES, RATE
from spanloom.core.query.where.fields import STEP_FIELDS, Subject
from spanloom.core.records.declared import FieldType
from spanloom.storage.engine.conditions import Condition
from spanloom.storage.where.columns import COLUMNS, joined_items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.query.stats import Metric, Numbers
    from spanloom.core.query.where.fields import Field
    from spanloom.storage.where.columns import Column

INTERVAL = "intDiv(StartTimeUnixNano, {interval:UInt64}) * {interval:UInt64}"


def shown(asked: Numbers) -> Condition:
    """Return the columns: when, by what, and the numbers."""
    when = [f"{INTERVAL} AS at"] if asked.interval_ns else []
    groups = [f"{_group(asked.of, field)} AS k{n}" for n, field in enumerate(asked.by)]
    numbers = [f"{_number(asked.of, one)} AS n{n}" for n, one in enumerate(asked.metrics)]
    values = {"interval": asked.interval_ns} if asked.interval_ns else {}
    return Condition(", ".join([*when, *groups, *numbers]), values)


def grouped(asked: Numbers) -> Condition:
    """Return what makes a group; without anything all is one, also if there is nothing."""
    keys = ", ".join(_keys(asked))
    return Condition(f"GROUP BY {keys}" if keys else "", {})


def ordered(asked: Numbers) -> Condition:
    """Return the order: by time, else by the first number, the largest first."""
    keys = [f"{key} ASC NULLS LAST" for key in _keys(asked)]
    largest = "n0 DESC NULLS LAST"
    timed = [*keys[:1], largest, *keys[1:]]
    return Condition(", ".join(timed if asked.interval_ns else [largest, *keys]), {})


def steps_of(asked: Numbers, condition: str) -> Condition:
    """Return what makes a row of each step that the query names; nothing for runs."""
    if asked.of is Subject.RUN:
        return Condition("", {})
    named = " ".join(["StepId", shown(asked).text, condition])
    return Condition(f"ARRAY JOIN {joined_items(named)}", {})


def _keys(asked: Numbers) -> Sequence[str]:
    return [*(["at"] if asked.interval_ns else []), *(f"k{n}" for n in range(len(asked.by)))]


def _column(of: Subject, field: Field) -> Column:
    is_of_step = of is Subject.STEP and STEP_FIELDS.get(field.name) is field
    return COLUMNS[Subject.STEP if is_of_step else Subject.RUN][field.name]


def _group(of: Subject, field: Field) -> str:
    """Return the value that makes a group, NULL if absent; of a list, each of its values."""
    column = _column(of, field)
    if field.is_list:
        return f"nullIf(arrayJoin(if(empty({column.sql}), [''], {column.sql})), '')"
    sql = f"toString({column.sql})" if field.type in _TEXTS else column.sql
    return f"if({column.is_there}, {sql}, NULL)" if column.is_there else sql


def _number(of: Subject, metric: Metric) -> str:
    if metric.field is None or metric.function == COUNT:
        return "count()"
    column = _column(of, metric.field)
    if metric.function == RATE:
        return f"avg({column.sql})"
    quantile = QUANTILES.get(metric.function)
    name = f"quantileOrNullIf({quantile})" if quantile else f"{metric.function}OrNullIf"
    number = f"{name}({column.sql}, {column.is_there or 'true'})"
    return f"{number} / 1e6" if metric.field.type is FieldType.DURATION else number


_TEXTS = (FieldType.TEXT, FieldType.CHOICE)
