"""What an alert asks, parsed: a line about runs, or a number over a window."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import orjson

from spanloom.alerts.definition import asks, check_members, read_definition
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
"""The most groups of a number that are watched, those with the largest numbers."""
_NS = 10**9
_SUBJECTS = {"runs": Subject.RUN, "steps": Subject.STEP}
_ITSELF = {"duplicate": False, "has_steps": True}
"""Runs that repeat another, and those without a step, are in no number."""


@dataclass(frozen=True)
class RunLine:
    """A line about runs."""

    text: str

    def at(self, now_ns: int) -> Condition:
        """Return the condition; times in it count back from ``now_ns``."""
        return parse_where(self.text, now_ns)

    @cached_property
    def is_lasting(self) -> bool:
        """Whether it still holds when more of a run comes; else it is asked of settled runs."""
        return is_lasting(self._any)

    @cached_property
    def reads_words(self) -> bool:
        """Whether it looks for words in texts, whose index follows later."""
        return searches_words(self._any)

    @cached_property
    def reads_said(self) -> bool:
        """Whether it reads annotations or scores, which no document has."""
        return any(read.field.is_judgement for read in fields_read(self._any))

    @cached_property
    def _any(self) -> Condition:
        return self.at(10**18)


@dataclass(frozen=True)
class NumberLine:
    """A number of runs, or of steps, over a window, against a threshold."""

    metric: Metric
    of: Subject
    by: Sequence[Field]
    where: str
    window_s: int
    threshold: float
    is_above: bool
    at_least: int

    def numbers(self, now_ns: int) -> tuple[Condition | None, Numbers]:
        """Return the filter of runs, and the query, of the window that ends now."""
        filters = condition_of({**_ITSELF, "since": now_ns - self.window_s * _NS})
        return filters, self.asked(now_ns)

    def asked(self, now_ns: int) -> Numbers:
        """Return the query without a window: the number, then the count."""
        of_runs = parse_where(self.where, now_ns) if self._asks(Subject.RUN) else None
        of_steps = parse_steps_where(self.where, now_ns) if self._asks(Subject.STEP) else None
        metrics = [self.metric, Metric(COUNT)]
        return Numbers(
            self.of, metrics, self.by, top=MOST_GROUPS, where=of_runs, steps_where=of_steps
        )

    def _asks(self, of: Subject) -> bool:
        return bool(self.where) and self.of is of

    def is_beyond(self, value: float | None, count: int) -> bool:
        """Return whether a number of so many runs or steps fires; an unknown one does not."""
        if value is None or count < self.at_least:
            return False
        return value > self.threshold if self.is_above else value < self.threshold


Asked: TypeAlias = RunLine | NumberLine


def question_of(stored: Mapping[str, Any]) -> Asked:
    """Return what a stored definition asks; raises ``InvalidQueryError``."""
    return _parsed(asks(stored))


def parse_question(wanted: AlertDefinition) -> Asked:
    """Return what a definition asks; raises ``InvalidQueryError`` with the place."""
    check_members(wanted)
    if wanted.repeat_after is not None:
        seconds_of(wanted.repeat_after, "repeat_after")
    return _run_line(wanted) if wanted.metric is None else _number_line(wanted, wanted.metric)


def seconds_of(text: str, parameter: str) -> int:
    """Return the seconds of a length such as ``15m``; raises ``InvalidQueryError``."""
    try:
        return parse_interval(text).length_s
    except InvalidQueryError as error:
        raise InvalidQueryError(error.detail, parameter) from error


@lru_cache(maxsize=1_024)
def _parsed(asked: bytes) -> Asked:
    return parse_question(read_definition(orjson.loads(asked)))


def _run_line(wanted: AlertDefinition) -> RunLine:
    line = RunLine(wanted.where or "")
    if line.reads_words and line.reads_said:  # raises for a line that cannot be parsed
        raise InvalidQueryError(
            "an alert cannot ask for words of texts and for scores in one line: make two", "where"
        )
    return line


def _of_metric(read: Callable[[], ReadT]) -> ReadT:
    """Return what is read of the member ``metric``, which problems name."""
    try:
        return read()
    except InvalidTextError as error:
        error.parameter = "metric"
        raise


def _number_line(wanted: AlertDefinition, text: str) -> NumberLine:
    of, by = _SUBJECTS[wanted.of or "runs"], wanted.by or ""
    metrics = _of_metric(lambda: parse_metrics(text, of))
    if len(metrics) != 1:
        raise InvalidQueryError("name one number", "metric")
    fields = parse_by(by, of)
    _of_metric(lambda: refuse_misleading(text, metrics, fields, of))
    threshold = wanted.below if wanted.above is None else wanted.above
    line = NumberLine(
        metrics[0],
        of,
        tuple(fields),
        (wanted.where or "").strip(),
        seconds_of(wanted.window or "", "window"),
        float(threshold or 0),
        wanted.above is not None,
        wanted.at_least or 0,
    )
    line.asked(10**18)  # raises for a `where` that cannot be parsed
    return line
