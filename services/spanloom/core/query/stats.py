"""Parses statistics over runs or steps, such as ``p95(duration)`` by model and hour."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.where.fields import RUN_FIELDS, STEP_FIELDS, Field, Subject
from spanloom.core.query.where.problems import (
    InvalidTextError,
    Piece,
    pieces_of,
    resembling,
    too_many,
    whole,
)
from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.query.intervals import Interval
    from spanloom.core.query.where.problems import WhereProblem
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
    return {name: field for name, field in fields.items() if not field.is_judgement}


FIELDS: Mapping[Subject, Mapping[str, Field]] = {
    Subject.RUN: _in_rows(RUN_FIELDS),
    Subject.STEP: {**_in_rows(RUN_FIELDS), **_in_rows(STEP_FIELDS)},
}
"""Fields to group by; steps can also be grouped by fields of their run: ``by=project``."""


class Metric(NamedTuple):
    """A number computed for each group."""

    function: str
    """``count``, ``rate``, ``sum``, ``avg``, ``min``, ``max`` or a quantile such as ``p95``."""
    field: Field | None = None
    """The field over which the function is computed; ``None`` only for ``count``."""
    name: str = COUNT
    """The metric's text in the request, which is its name in the response: ``rate(error)``."""


class Numbers(NamedTuple):
    """A request for statistics: the metrics, over runs or steps, and the groups."""

    of: Subject
    metrics: Sequence[Metric]
    by: Sequence[Field] = ()
    interval: Interval | None = None
    """The intervals by which run starts are grouped; ``None`` if not grouped by time."""
    top: int = MAX_GROUPS
    """Maximum number of groups; if not by time, the groups with the largest first metric."""
    where: Condition | None = None
    """Condition on runs."""
    steps_where: Condition | None = None
    """Condition on steps, used if the metrics are over steps."""


class Group(NamedTuple):
    """One group with the values of its metrics; durations in ms."""

    by: Sequence[str | int | bool | None]
    """The values that define the group, in the order of ``Numbers.by``; ``None`` if absent."""
    start_ns: int | None
    """Start of the group's interval, in ns since the epoch; ``None`` if not grouped by time."""
    values: Sequence[float | int | None]
    """The values of the metrics, in their order; ``None`` if no run, or no step, has a value."""


_STEPS_BY = {"agent": "owner", "model": "model"}
"""Run fields that may have several values, with the step field that has a single value."""
_SHARED = (
    "{0} of a whole run would count for each {1} in it; to count each call once, ask of steps: "
    "--of steps --by {2} --where 'type = model' (of=steps, by={2}, where=type = model)"
)
_OF_CALLS = frozenset({"tokens", "input_tokens", "output_tokens", "cost", "first_token"})
"""Numeric fields that only model calls have."""
_NOT_OF_CALLS = frozenset({"agent", "tool"})
"""Fields of steps that model calls do not have."""
_EMPTY = (
    "{0} is of model calls, which have no {1}; the agent that a call belongs to is its owner: "
    "--of steps --by owner --where 'type = model' (of=steps, by=owner, where=type = model)"
)
_CALL = re.compile(r"([a-z0-9]+)(?:\((\w*)\))?")
_EXPECTED = (COUNT, f"{RATE}(FLAG)", *(f"{name}(NUMBER)" for name in OF_NUMBERS))
_METRICS_MESSAGE = (
    f"{{!r}} is none; {COUNT}, {RATE}(FLAG), or one of {', '.join(OF_NUMBERS)} of a number:"
    " p95(duration)"
)


def parse_metrics(text: str, of: Subject) -> Sequence[Metric]:
    """Parse metrics such as ``count,rate(error),p95(duration)``.

    Raises ``InvalidTextError`` with every problem.
    """
    pieces = list(pieces_of(text))
    message = f"at most {MAX_METRICS} can be asked for at once"
    if problem := too_many(text, pieces, MAX_METRICS, message):
        raise InvalidTextError(text, [problem], "metrics")
    return whole(text, [_metric(piece, of) for piece in pieces], "metrics")


def parse_by(text: str, of: Subject, most: int = MAX_BY, parameter: str = "by") -> Sequence[Field]:
    """Parse fields to group by, such as ``model,agent``; return each once.

    Raises ``InvalidTextError``, which names the parameter, with every problem.
    """
    pieces = [piece for piece in pieces_of(text) if piece.text]
    if problem := too_many(text, pieces, most, f"at most {most} fields can be asked for at once"):
        raise InvalidTextError(text, [problem], parameter)
    read = [_named(piece, _groups(of), _groups(Subject.STEP)) for piece in pieces]
    return list(dict.fromkeys(whole(text, read, parameter)))


def parse_group(name: str, of: Subject) -> Field:
    """Return the named field to group by; raises ``InvalidTextError``."""
    [field] = whole(name, [_named(Piece(name, 0), _groups(of), _groups(Subject.STEP))], "name")
    return field


def refuse_misleading(
    text: str, metrics: Sequence[Metric], by: Sequence[Field], of: Subject
) -> None:
    """Raise ``InvalidTextError`` for metrics that would count runs repeatedly, or have no values.

    A sum or mean over runs by agent or model would count the whole run for each agent or model;
    numbers of model calls do not exist by agent or tool. The message suggests the equivalent over
    steps, where each call counts once.
    """
    reason = _reason_of_steps(by) if of is Subject.STEP else _reason_of_runs(by)
    is_wrong = _is_of_calls if of is Subject.STEP else _is_total
    problems = [
        piece.wrong(reason.replace("{0}", piece.text))
        for piece, metric in zip(pieces_of(text), metrics, strict=True)
        if reason and is_wrong(metric)
    ]
    if problems:
        raise InvalidTextError(text, problems, "metrics")


def _reason_of_runs(by: Sequence[Field]) -> str:
    shared = next((field.name for field in by if field.name in _STEPS_BY), "")
    return _SHARED.format("{0}", shared, _STEPS_BY[shared]) if shared else ""


def _reason_of_steps(by: Sequence[Field]) -> str:
    lacking = next((field.name for field in by if field.name in _NOT_OF_CALLS), "")
    return _EMPTY.format("{0}", lacking) if lacking else ""


def _is_of_calls(metric: Metric) -> bool:
    return metric.field is not None and metric.field.name in _OF_CALLS


def _is_total(metric: Metric) -> bool:
    is_duration = metric.field is not None and metric.field.type is FieldType.DURATION
    return metric.function == "sum" or (metric.function == "avg" and not is_duration)


def _metric(piece: Piece, of: Subject) -> Metric | WhereProblem:
    found = _CALL.fullmatch(piece.text)
    function, name = found.groups() if found else ("", None)
    if function == COUNT and not name:
        return Metric(COUNT, name=piece.text)
    if function not in (RATE, *OF_NUMBERS) or not name:
        return piece.wrong(_METRICS_MESSAGE.format(piece.text), expected=_EXPECTED)
    if (function, name, of) == (RATE, "error", Subject.RUN):
        name = "has_error"
    kinds = (FieldType.FLAG,) if function == RATE else NUMBERS
    fields, of_steps = (
        {field.name: field for field in FIELDS[subject].values() if field.type in kinds}
        for subject in (of, Subject.STEP)
    )
    field = _named(Piece(name, piece.position + len(function) + 1), fields, of_steps)
    return Metric(function, field, piece.text) if isinstance(field, Field) else field


def _groups(of: Subject) -> Mapping[str, Field]:
    return {f.name: f for f in FIELDS[of].values() if f.type in GROUPS and not f.has_keys}


def _named(
    piece: Piece, fields: Mapping[str, Field], of_steps: Mapping[str, Field]
) -> Field | WhereProblem:
    if field := fields.get(piece.text):
        return field
    if piece.text in of_steps and not resembling(piece.text, fields):
        return piece.wrong(f"{piece.text!r} is a field of steps: --of steps (of=steps)")
    return piece.wrong(f"{piece.text!r} cannot be asked for here", fields)
