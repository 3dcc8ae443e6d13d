"""The parsed condition of an alert: a ``where`` on runs, or a metric over a time window."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import orjson

from spanloom.alerts.definition import check_members, queried_members, read_definition
from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.intervals import parse_interval
from spanloom.core.query.selection import condition_of
from spanloom.core.query.stats import (
    COUNT,
    Metric,
    Numbers,
    parse_by,
    parse_metrics,
    refuse_misleading,
)
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.lasting import is_lasting
from spanloom.core.query.where.parser import parse_steps_where, parse_where
from spanloom.core.query.where.problems import InvalidTextError
from spanloom.core.query.where.reads import fields_read
from spanloom.core.query.where.tree import searches_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.alerts.definition import AlertDefinition
    from spanloom.core.query.where.fields import Field
    from spanloom.core.query.where.tree import Condition

ReadT = TypeVar("ReadT")
MOST_GROUPS = 1_000
"""Maximum groups that are watched for one metric: the groups with the largest values."""
_NS = 10**9
_SUBJECTS = {"runs": Subject.RUN, "steps": Subject.STEP}
_ITSELF = {"duplicate": False, "has_steps": True}
"""The filters of all metrics, which exclude duplicate runs and runs without steps."""


@dataclass(frozen=True)
class RunCondition:
    """A ``where`` on runs."""

    text: str

    def at(self, now_ns: int) -> Condition:
        """Return the parsed condition; relative times count from ``now_ns``."""
        return parse_where(self.text, now_ns)

    @cached_property
    def is_lasting(self) -> bool:
        """Whether the condition, once true for a run, stays true as the run grows.

        Other conditions are checked on settled runs only.
        """
        return is_lasting(self._any)

    @cached_property
    def reads_words(self) -> bool:
        """Whether the condition searches for words, whose index is updated later than the run."""
        return searches_words(self._any)

    @cached_property
    def reads_scores(self) -> bool:
        """Whether the condition reads annotations or scores, which are not in documents."""
        return any(read.field.is_judgement for read in fields_read(self._any))

    @cached_property
    def _any(self) -> Condition:
        return self.at(10**18)


@dataclass(frozen=True)
class NumberCondition:
    """A metric of runs or steps over a time window, compared with a threshold."""

    metric: Metric
    of: Subject
    by: Sequence[Field]
    where: str
    window_s: int
    threshold: float
    is_above: bool
    at_least: int

    def numbers(self, now_ns: int) -> tuple[Condition | None, Numbers]:
        """Return the condition that selects the runs, and the query that computes the metric.

        Both are for the window that ends at ``now_ns``, in nanoseconds since the epoch.
        """
        filters = condition_of({**_ITSELF, "since": now_ns - self.window_s * _NS})
        return filters, self.query(now_ns)

    def query(self, now_ns: int) -> Numbers:
        """Return the query that computes the metric and the count, without the window."""
        of_runs = parse_where(self.where, now_ns) if self._has_where(Subject.RUN) else None
        of_steps = parse_steps_where(self.where, now_ns) if self._has_where(Subject.STEP) else None
        metrics = [self.metric, Metric(COUNT)]
        return Numbers(
            self.of, metrics, self.by, top=MOST_GROUPS, where=of_runs, steps_where=of_steps
        )

    def _has_where(self, of: Subject) -> bool:
        return bool(self.where) and self.of is of

    def is_beyond(self, value: float | None, count: int) -> bool:
        """Return whether ``value`` is beyond the threshold.

        ``None``, or a value of fewer than ``at_least`` runs or steps (``count``), never is.
        """
        if value is None or count < self.at_least:
            return False
        return value > self.threshold if self.is_above else value < self.threshold


AlertCondition: TypeAlias = RunCondition | NumberCondition


def condition_of_definition(stored: Mapping[str, Any]) -> AlertCondition:
    """Return the condition of a stored definition; raises ``InvalidQueryError``."""
    return _parsed(queried_members(stored))


def parse_alert_condition(definition: AlertDefinition) -> AlertCondition:
    """Return the condition of a definition; raises ``InvalidQueryError`` that names the member."""
    check_members(definition)
    if definition.repeat_after is not None:
        seconds_of(definition.repeat_after, "repeat_after")
    return (
        _run_condition(definition)
        if definition.metric is None
        else _number_condition(definition, definition.metric)
    )


def seconds_of(text: str, parameter: str) -> int:
    """Return the seconds of a duration such as ``15m``; raises ``InvalidQueryError``."""
    try:
        return parse_interval(text).length_s
    except InvalidQueryError as error:
        raise InvalidQueryError(error.detail, parameter) from error


@lru_cache(maxsize=1_024)
def _parsed(members: bytes) -> AlertCondition:
    return parse_alert_condition(read_definition(orjson.loads(members)))


def _run_condition(definition: AlertDefinition) -> RunCondition:
    condition = RunCondition(definition.where or "")
    if condition.reads_words and condition.reads_scores:  # raises if it cannot be parsed
        raise InvalidQueryError(
            "an alert cannot ask for words of texts and for scores in one line: make two", "where"
        )
    return condition


def _of_metric(read: Callable[[], ReadT]) -> ReadT:
    """Call ``read`` and return its value; errors that it raises name the member ``metric``."""
    try:
        return read()
    except InvalidTextError as error:
        error.parameter = "metric"
        raise


def _number_condition(definition: AlertDefinition, text: str) -> NumberCondition:
    of, by = _SUBJECTS[definition.of or "runs"], definition.by or ""
    metrics = _of_metric(lambda: parse_metrics(text, of))
    if len(metrics) != 1:
        raise InvalidQueryError("name one metric", "metric")
    fields = parse_by(by, of)
    _of_metric(lambda: refuse_misleading(text, metrics, fields, of))
    threshold = definition.below if definition.above is None else definition.above
    condition = NumberCondition(
        metrics[0],
        of,
        tuple(fields),
        (definition.where or "").strip(),
        seconds_of(definition.window or "", "window"),
        float(threshold or 0),
        definition.above is not None,
        definition.at_least or 0,
    )
    condition.query(10**18)  # raises for a `where` that cannot be parsed
    return condition
