"""Statistics by group for the in-memory store, computed row by row."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from tests.support.interval_starts import known_zones, start_of
from tests.support.where_evaluation import Run, holds, step_facts

from spanloom.core.query.intervals import refuse_timezone
from spanloom.core.query.stats import COUNT, QUANTILES, RATE, Group
from spanloom.core.query.where.fields import STEP_FIELDS, Subject
from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from spanloom.core.query.stats import Metric, Numbers
    from spanloom.core.query.where.fields import Field


def count_numbers(runs: Iterable[Run], asked: Numbers) -> Sequence[Group]:
    """Return the numbers of each group; see ``StatsReader.numbers``."""
    if asked.interval:
        refuse_timezone(asked.interval.timezone, known_zones())
    grouped: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    if not asked.by and not asked.interval:
        grouped[()] = []
    for facts in _rows(runs, asked):
        for key in _keys(facts, asked):
            grouped.setdefault(key, []).append(facts)
    groups = [_group(key, rows, asked) for key, rows in grouped.items()]
    return sorted(groups, key=_place)[: asked.top]


def _rows(runs: Iterable[Run], asked: Numbers) -> Iterator[Mapping[str, Any]]:
    for run in runs:
        if asked.where is not None and not holds(asked.where, run):
            continue
        if asked.of is Subject.RUN:
            yield run.facts
            continue
        for place in range(1, len(run.steps) + 1):
            facts = step_facts(place, run)
            if asked.steps_where is None or holds(asked.steps_where, Run(facts, ())):
                of_run = {name: run.facts[name] for name in run.facts if name not in STEP_FIELDS}
                yield {**of_run, **facts}


def _keys(facts: Mapping[str, Any], asked: Numbers) -> Iterator[tuple[Any, ...]]:
    when = [start_of(asked.interval, facts["start"])] if asked.interval else []
    return ((*when, *values) for values in product(*(_values(facts, field) for field in asked.by)))


def _values(facts: Mapping[str, Any], field: Field) -> Sequence[Any]:
    found = facts[field.name]
    return (found or [None]) if field.is_list else [found]


def _group(key: tuple[Any, ...], rows: Sequence[Mapping[str, Any]], asked: Numbers) -> Group:
    start = key[0] if asked.interval else None
    by = key[1:] if asked.interval else key
    return Group(list(by), start, [_number(metric, rows) for metric in asked.metrics])


def _number(metric: Metric, rows: Sequence[Mapping[str, Any]]) -> float | None:
    if metric.field is None or metric.function == COUNT:
        return len(rows)
    values = [v for row in rows if (v := row[metric.field.name]) is not None]
    if not values:
        return None
    scale = 1e6 if metric.field.type is FieldType.DURATION else 1
    if metric.function in (RATE, "avg"):
        return float(sum(values) / len(values) / scale)
    if metric.function in QUANTILES:
        return _quantile(sorted(values), QUANTILES[metric.function]) / scale
    found = _TOGETHER[metric.function](values)
    return found / scale if scale != 1 else found


_TOGETHER: Mapping[str, Callable[[Sequence[float]], float]] = {"sum": sum, "min": min, "max": max}


def _quantile(values: Sequence[float], level: float) -> float:
    at = level * (len(values) - 1)
    below = int(at)
    above = min(below + 1, len(values) - 1)
    return float(values[below] + (values[above] - values[below]) * (at - below))


def _place(group: Group) -> tuple[Any, ...]:
    first = group.values[0]
    largest = (first is None, -(first or 0))
    keys = ((value is None, "" if value is None else value) for value in group.by)
    return (group.start_ns or 0, largest, *keys)
