"""Statistics over stored runs and steps as SQL, and the stored bytes of each project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.query.intervals import UTC, refuse_timezone
from spanloom.core.query.shapes import ITEM_KEY, SHAPE_NUMBERS, RunShape
from spanloom.core.query.stats import COUNT, QUANTILES, RATE, Group
from spanloom.core.query.where.fields import RUN_FIELDS, STEP_FIELDS, Subject
from spanloom.core.records.declared import FieldType
from spanloom.storage.deletions.hiding import alive
from spanloom.storage.engine.failures import bounded
from spanloom.storage.engine.parameters import Condition, both, within
from spanloom.storage.stats.intervals import interval_start
from spanloom.storage.where.columns import COLUMNS, RUN_COLUMNS, joined_items
from spanloom.storage.where.compile import Compiler, passing
from spanloom.storage.where.side_tables import SideTables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.query.stats import Metric, Numbers
    from spanloom.core.query.where import tree
    from spanloom.core.query.where.fields import Field
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Values
    from spanloom.storage.where.columns import Column


def shown(query: Numbers) -> Condition:
    """Return the SELECT list: the interval, the group's values, and the metrics."""
    at = interval_start(query.interval) if query.interval else None
    when = [f"{at.text} AS at"] if at else []
    groups = [f"{_group_sql(query.of, field)} AS k{n}" for n, field in enumerate(query.by)]
    numbers = [f"{_number(query.of, one)} AS n{n}" for n, one in enumerate(query.metrics)]
    return Condition(", ".join([*when, *groups, *numbers]), at.values if at else {})


def grouped(query: Numbers) -> Condition:
    """Return the GROUP BY; if it is empty, all rows form one group, even if there are none."""
    keys = ", ".join(_keys(query))
    return Condition(f"GROUP BY {keys}" if keys else "", {})


def ordered(query: Numbers) -> Condition:
    """Return the ORDER BY: by time, or else by the first metric, largest first."""
    keys = [f"{key} ASC NULLS LAST" for key in _keys(query)]
    largest = "n0 DESC NULLS LAST"
    timed = [*keys[:1], largest, *keys[1:]]
    return Condition(", ".join(timed if query.interval else [largest, *keys]), {})


def steps_of(query: Numbers, condition: str) -> Condition:
    """Return the ARRAY JOIN that makes a row of each step; empty for runs."""
    if query.of is Subject.RUN:
        return Condition("", {})
    named = " ".join(["StepId", shown(query).text, condition])
    return Condition(f"ARRAY JOIN {joined_items(named)}", {})


def _keys(query: Numbers) -> Sequence[str]:
    return [*(["at"] if query.interval else []), *(f"k{n}" for n in range(len(query.by)))]


def _column(of: Subject, field: Field) -> Column:
    is_of_step = of is Subject.STEP and STEP_FIELDS.get(field.name) is field
    return COLUMNS[Subject.STEP if is_of_step else Subject.RUN][field.name]


def _group_sql(of: Subject, field: Field) -> str:
    """Return the SQL of the value to group by, NULL if absent; for a list, each of its values."""
    column = _column(of, field)
    if field.is_list:
        return f"nullIf(arrayJoin(if(empty({column.sql}), [''], {column.sql})), '')"
    sql = f"toString({column.sql})" if field.type is FieldType.CHOICE else column.sql
    return f"if({column.is_there}, {sql}, NULL)" if column.is_there else sql


def _number(of: Subject, metric: Metric) -> str:
    if metric.field is None or metric.function == COUNT:
        return "count()"
    column = _column(of, metric.field)
    if metric.function == RATE:
        return f"avg({column.sql})"
    quantile = QUANTILES.get(metric.function)
    name, parameters = ("quantile", f"({quantile})") if quantile else (metric.function, "")
    if column.is_there:
        number = f"{name}OrNullIf{parameters}({column.sql}, {column.is_there})"
    else:
        number = f"{name}OrNull{parameters}({column.sql})"
    return f"{number} / 1e6" if metric.field.type is FieldType.DURATION else number


class ClickHouseStats:
    """Implements ``StatsReader`` with the query connection to ClickHouse."""

    def __init__(self, asker: Connection) -> None:
        """Use the connection; the caller closes it."""
        self._asker = asker
        self._zones = frozenset({UTC})

    def numbers(
        self, reach: Reach, where: tree.Condition | None, asked: Numbers
    ) -> Sequence[Group]:
        """See ``StatsReader.numbers``."""
        if asked.interval:
            self._refuse_unknown(asked.interval.timezone)
        with bounded():
            wanted = self._wanted(reach, asked)
            rows = self._asker.values(
                "numbers",
                reach=within(reach),
                filter=both(passing(where), wanted),
                alive=alive(self._asker, "trajectory_list"),
                shown=shown(asked),
                steps=steps_of(asked, wanted.text),
                grouped=grouped(asked),
                order=ordered(asked),
                most=asked.top,
            )
        return [_group(row, asked) for row in rows]

    def shapes(self, reach: Reach, where: tree.Condition | None, most: int) -> Sequence[RunShape]:
        """See ``StatsReader.shapes``."""
        compiler = Compiler(SideTables(self._asker, reach))
        wanted = "true" if where is None else compiler.to_sql(where, Subject.RUN)
        with bounded():
            rows = self._asker.values(
                "shapes",
                reach=within(reach),
                filter=Condition(wanted, compiler.literals.values),
                alive=alive(self._asker, "trajectory_list"),
                shown=_SHAPE_NUMBERS,
                item_prefix=f"{ITEM_KEY}=",
                most=most,
            )
            return [_shape(row) for row in rows]

    def _refuse_unknown(self, timezone: str) -> None:
        if timezone not in self._zones:
            self._zones |= {row.time_zone for row in self._asker.rows("time_zones")}
            refuse_timezone(timezone, self._zones)

    def _wanted(self, reach: Reach, asked: Numbers) -> Condition:
        compiler = Compiler(SideTables(self._asker, reach))
        parts = [
            compiler.to_sql(where, subject)
            for where, subject in ((asked.where, Subject.RUN), (asked.steps_where, Subject.STEP))
            if where is not None
        ]
        return Condition(" AND ".join(parts) or "true", compiler.literals.values)


def _plain(name: str) -> str:
    """Return the SQL of a numeric field of runs, NULL if absent; durations are in milliseconds."""
    column = RUN_COLUMNS[name]
    sql = f"if({column.is_there}, {column.sql}, NULL)" if column.is_there else column.sql
    return f"{sql} / 1e6" if RUN_FIELDS[name].type is FieldType.DURATION else sql


_SHAPE_NUMBERS = Condition(", ".join(map(_plain, SHAPE_NUMBERS)), {})


_PARTS = RunShape._fields.index("numbers")
_PLAIN_PARTS = RunShape._fields.index("handoffs")


def _shape(row: Values) -> RunShape:
    numbers = {
        name: None if value is None else float(value)
        for name, value in zip(SHAPE_NUMBERS, row[_PARTS:], strict=True)
    }
    pairs = [list(map(tuple, one)) for one in row[_PLAIN_PARTS:_PARTS]]
    return RunShape._make((*row[:_PLAIN_PARTS], *pairs, numbers))


def _group(row: Values, query: Numbers) -> Group:
    start_ns = row.pop(0) if query.interval else None
    return Group(row[: len(query.by)], start_ns, row[len(query.by) :])


class ClickHouseUsage:
    """Implements ``UsageReader`` with the connection for short queries."""

    def __init__(self, prober: Connection) -> None:
        """Use the connection; the caller closes it."""
        self._prober = prober

    def stored_bytes(self, limit: int) -> Mapping[str, int]:
        """See ``UsageReader.stored_bytes``."""
        return {row.Project: row.bytes for row in self._prober.rows("stored_bytes", limit=limit)}
