"""Questions answered by numbers: ``p95(duration)`` by model and hour, of runs or of steps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.where.fields import (
    RUN_FIELDS,
    STEP_FIELDS,
    Field,
    FieldType,
    Subject,
)
from spanloom.core.query.where.problems import resembling

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
"""Steps can be told apart by what their run is, too: ``by=project``."""
_CALL = re.compile(r"([a-z0-9]+)(?:\((\w*)\))?")


class Metric(NamedTuple):
    """One number of each group."""

    function: str
    """``count``, ``rate``, ``sum``, ``avg``, ``min``, ``max`` or a quantile, ``p95``."""
    field: Field | None = None
    """``None`` of ``count`` alone."""

    def __str__(self) -> str:
        """As it is asked for: ``p95(duration)``."""
        return self.function if self.field is None else f"{self.function}({self.field.name})"


class Numbers(NamedTuple):
    """Which numbers are asked for, of what, and in which groups."""

    of: Subject
    metrics: Sequence[Metric]
    by: Sequence[Field] = ()
    interval_ns: int = 0
    """Groups also by the time in which a run began, so long; 0: by no time."""
    top: int = MAX_GROUPS
    """The most groups; those with the largest first number, if not by time."""
    where: Condition | None = None
    """Of runs."""
    steps_where: Condition | None = None
    """Of steps, if they are what is counted."""


class Group(NamedTuple):
    """One group and its numbers; durations are milliseconds."""

    by: Sequence[str | int | bool | None]
    """Its values in the order of ``Numbers.by``; ``None`` is absent."""
    start_ns: int | None
    """When its time begins."""
    values: Sequence[float | int | None]
    """In the order of the metrics; ``None`` where no run, or no step, has such a number."""


def parse_metrics(text: str, of: Subject) -> Sequence[Metric]:
    """Return what ``count,rate(error),p95(duration)`` asks for; raises ``InvalidQueryError``."""
    asked = [part.strip() for part in text.split(",")]
    if len(asked) > MAX_METRICS:
        raise InvalidQueryError(f"metrics: at most {MAX_METRICS} can be asked for at once")
    return [_metric(part, of) for part in asked]


def parse_by(text: str, of: Subject) -> Sequence[Field]:
    """Return the fields of ``model,agent``; raises ``InvalidQueryError``."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if len(names) > MAX_BY:
        raise InvalidQueryError(f"by: at most {MAX_BY} fields make groups")
    groups = {f.name: f for f in FIELDS[of].values() if f.type in GROUPS and not f.has_keys}
    return [_named(name, groups, "by") for name in names]


def _metric(text: str, of: Subject) -> Metric:
    found = _CALL.fullmatch(text)
    function, name = found.groups() if found else ("", None)
    if function == COUNT and not name:
        return Metric(COUNT)
    if function not in (RATE, *OF_NUMBERS) or not name:
        raise InvalidQueryError(
            f"metrics: {text!r} is none; count, rate(FLAG), or one of"
            f" {', '.join(OF_NUMBERS)} of a number: p95(duration)"
        )
    if (function, name, of) == (RATE, "error", Subject.RUN):
        name = "has_error"
    kinds = (FieldType.FLAG,) if function == RATE else NUMBERS
    fields = {field.name: field for field in FIELDS[of].values() if field.type in kinds}
    return Metric(function, _named(name, fields, "metrics"))


def _named(name: str, fields: Mapping[str, Field], parameter: str) -> Field:
    if name in fields:
        return fields[name]
    near = resembling(name, fields)
    hint = f"did you mean {near[0]}?" if near else f"it is one of {', '.join(fields)}"
    raise InvalidQueryError(f"{parameter}: {name!r} cannot be asked for here; {hint}")
