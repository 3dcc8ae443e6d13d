"""Statistics over runs or steps: ``p95(duration)`` by model and hour."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.where.fields import RUN_FIELDS, STEP_FIELDS, Field, Subject
from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.query.where.tree import Condition

MAX_GROUPS = 10_000
MAX_BY = 3
MAX_METRICS = 12
QUANTILES = {"p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99}
OF_NUMBERS = ("sum", "avg", "min", "max", *QUANTILES)
COUNT, RATE = "count", "rate"
NUMBERS = (FieldType.INTEGER, FieldType.NUMBER, FieldType.DURATION)
GROUPS = (FieldType.TEXT, FieldType.CHOICE, FieldType.FLAG, FieldType.INTEGER)


def _in_rows(fields: Mapping[str, Field]) -> Mapping[str, Field]:
    return {name: field for name, field in fields.items() if not field.is_said}


FIELDS: Mapping[Subject, Mapping[str, Field]] = {
    Subject.RUN: _in_rows(RUN_FIELDS),
    Subject.STEP: {**_in_rows(RUN_FIELDS), **_in_rows(STEP_FIELDS)},
}
"""Steps can also be grouped by fields of their run: ``by=project``."""


class Metric(NamedTuple):
    """One number of each group."""

    function: str
    """``count``, ``rate``, ``sum``, ``avg``, ``min``, ``max`` or a quantile, ``p95``."""
    field: Field | None = None
    """``None`` only for ``count``."""
    name: str = COUNT
    """Its text in the request, which is its name in the answer: ``rate(error)``."""


class Numbers(NamedTuple):
    """Which metrics to compute, over what, and in which groups."""

    of: Subject
    metrics: Sequence[Metric]
    by: Sequence[Field] = ()
    interval_ns: int = 0
    """Length of the intervals to group run starts by; 0: not grouped by time."""
    top: int = MAX_GROUPS
    """The most groups to return; those with the largest first number, if not by time."""
    where: Condition | None = None
    """Condition on runs."""
    steps_where: Condition | None = None
    """Condition on steps, if steps are counted."""


class Group(NamedTuple):
    """One group and its numbers; durations are milliseconds."""

    by: Sequence[str | int | bool | None]
    """Its values in the order of ``Numbers.by``; ``None`` is absent."""
    start_ns: int | None
    """When its interval begins."""
    values: Sequence[float | int | None]
    """In the order of the metrics; ``None`` where no run, or no step, has such a number."""
