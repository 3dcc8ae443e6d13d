"""Request and response models for aggregates, fields, and frequent values."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from spanloom.api.pages import DEFAULT_LIMIT, OfProject, limit_field
from spanloom.api.query import Filters, read_steps_where, read_where
from spanloom.api.rows.columns import Columns, Sort
from spanloom.api.schemas import Where
from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.notation import MAX_WHERE_BYTES
from spanloom.core.query.intervals import UTC, Interval, parse_interval
from spanloom.core.query.selection import is_orderable
from spanloom.core.query.stats import (
    COUNT,
    MAX_GROUPS,
    Group,
    Metric,
    Numbers,
    parse_by,
    parse_metrics,
    refuse_misleading,
)
from spanloom.core.query.where import fields as declared
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.problems import both
from spanloom.core.query.where.values import OPERATORS
from spanloom.core.records.declared import FieldType
from spanloom.core.records.field import FieldItem, Of, Stats, ValueItem

_SORTS = {FieldType.FLAG: Sort.TRUTH, FieldType.INTEGER: Sort.WHOLE}
SUBJECTS = {"trajectories": Subject.RUN, "steps": Subject.STEP}


class SomeRuns(Filters):
    """Filters of runs; unknown parameters are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project: OfProject = None


class StatsQuery(SomeRuns):
    """Which numbers to return, and their groups."""

    of: Of = "trajectories"
    metrics: Annotated[
        str,
        Field(
            max_length=1000,
            description="`count`, `rate` of a flag, `sum`, `avg`, `min`, `max`, `p50`, `p75`,"
            " `p90`, `p95` or `p99` of a number; separate several by commas.",
            examples=["count,rate(error),p95(duration),max(cost)"],
        ),
    ] = "count"
    by: Annotated[
        str,
        Field(
            max_length=200,
            description="Up to three fields whose values make groups, separated by commas.",
            examples=["model"],
        ),
    ] = ""
    interval: Annotated[
        str | None,
        Field(
            max_length=8,
            description="Also groups by the start of a run: `30s`, `15m`, `1h`, `1d`, `1w`.",
            examples=["1h"],
        ),
    ] = None
    timezone: Annotated[
        str | None,
        Field(
            max_length=64,
            description="Time zone in which an `interval` begins, an IANA name; UTC by default.",
            examples=["Europe/Berlin"],
        ),
    ] = None
    top: Annotated[
        int,
        Field(ge=1, le=MAX_GROUPS, description="Maximum number of groups.", examples=[20]),
    ] = MAX_GROUPS
    where: Where = None
    run_where: Annotated[
        str | None,
        Field(
            max_length=MAX_WHERE_BYTES,
            description="With `of=steps`: a query for runs; `where` is a query for their steps.",
            examples=["has_error"],
        ),
    ] = None

    def numbers(self) -> Numbers:
        """Return the query for the store; raises ``InvalidQueryError``."""
        of = SUBJECTS[self.of]
        of_steps = of is Subject.STEP
        of_runs = (self.run_where, "run_where") if of_steps else (self.where, "where")
        if self.run_where and not of_steps:
            raise InvalidQueryError("this is for of=steps; of runs, ask by where", "run_where")
        (metrics, by), (where, steps_where) = both(
            lambda: both(lambda: parse_metrics(self.metrics, of), lambda: parse_by(self.by, of)),
            lambda: both(
                lambda: read_where(*of_runs),
                lambda: read_steps_where(self.where if of_steps else None),
            ),
        )
        refuse_misleading(self.metrics, metrics, by, of)
        return Numbers(of, metrics, by, self._interval(), self.top + 1, where, steps_where)

    def _interval(self) -> Interval | None:
        if self.interval is not None:
            return parse_interval(self.interval, UTC if self.timezone is None else self.timezone)
        if self.timezone is not None:
            raise InvalidQueryError("this is for an interval: interval=1d", "timezone")
        return None


def stats_of(numbers_query: Numbers, groups: list[Group]) -> Stats:
    """Return groups as a response; a group beyond the limit is dropped and sets ``truncated``."""
    most = numbers_query.top - 1
    return Stats(
        items=[_item(numbers_query, g) for g in groups[:most]], truncated=len(groups) > most
    )


def operators_of(field: declared.Field) -> list[str]:
    """Return the operators of a field; texts can only be searched for words."""
    more = [] if field.type is FieldType.WORDS else ["in", "exists"]
    return [*(operator.value for operator in OPERATORS[field.type]), *more]


def field_item(field: declared.Field, of: str) -> FieldItem:
    """Return a declared field of ``trajectories`` or ``steps`` as a response model."""
    operators = operators_of(field)
    return FieldItem.made_of(field, of=of, operators=operators, is_ordered=is_orderable(field))


class LineQuery(BaseModel):
    """A query as typed, with short forms; unknown parameters are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    line: Annotated[
        str,
        Field(
            max_length=MAX_WHERE_BYTES,
            description="The text: short forms, or the `where` language itself.",
            examples=["type:tool name:search tokens>10k"],
        ),
    ]


class SpelledWhere(BaseModel):
    """The `where` of a line in short forms."""

    where: Annotated[str, Field(description="In the `where` language; empty for an empty line.")]


class ValuesQuery(SomeRuns):
    """Which values of a field to return."""

    of: Of = "trajectories"
    limit: Annotated[int, limit_field()] = DEFAULT_LIMIT


def values_in(groups: Sequence[Group]) -> list[ValueItem]:
    """Return the non-null values of the field by which ``groups`` were formed, with counts."""
    return [
        ValueItem(value=value, count=int(group.values[0] or 0))
        for group in groups
        if (value := group.by[0]) is not None
    ]


def sort_of(field: declared.Field) -> Sort:
    """Return the column type of the values of a field."""
    return _SORTS.get(field.type, Sort.TEXT)


def numbers_columns(numbers_query: Numbers) -> Columns:
    """Return the columns of the groups, in order; every metric except counts may be a fraction."""
    start = {"start": Sort.MOMENT} if numbers_query.interval else {}
    by = {field.name: sort_of(field) for field in numbers_query.by}
    is_count = {metric.name: metric.function == COUNT for metric in numbers_query.metrics}
    numbers = {name: Sort.WHOLE if whole else Sort.REAL for name, whole in is_count.items()}
    return {**start, **by, **numbers}


def _item(numbers_query: Numbers, group: Group) -> dict[str, str | int | float | bool | None]:
    at = {} if group.start_ns is None else {"start": str(group.start_ns // 1_000_000)}
    by = {field.name: value for field, value in zip(numbers_query.by, group.by, strict=True)}
    numbers = zip((metric.name for metric in numbers_query.metrics), group.values, strict=True)
    return {**at, **by, **dict(numbers)}


MAX_FACETS = 12
"""Maximum fields in a request, because each field is a query to the store."""


class FacetsQuery(SomeRuns):
    """Which values of several fields to return, and of which runs."""

    of: Of = "trajectories"
    fields: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1000,
            description=f"Fields of type text or choice, by commas; {MAX_FACETS} at most.",
            examples=["agent,model,status"],
        ),
    ]
    where: Where = None
    limit: Annotated[int, limit_field("values of each field", most=100, usual=10)] = 10

    def numbers(self) -> list[Numbers]:
        """Return a query to the store for each field; raises ``InvalidQueryError``."""
        of = SUBJECTS[self.of]
        fields, (runs, steps) = both(
            lambda: parse_by(self.fields, of, MAX_FACETS, "fields"),
            lambda: both(
                lambda: read_where(self.where) if of is Subject.RUN else None,
                lambda: read_steps_where(self.where) if of is Subject.STEP else None,
            ),
        )
        if not fields:
            raise InvalidQueryError("name one at least; /v1/fields lists them", "fields")
        return [
            Numbers(
                *(of, [Metric(COUNT)], [field]),
                top=self.limit + 2,  # one for the absent value, one to detect further values
                where=runs,
                steps_where=steps,
            )
            for field in fields
        ]


class Facet(BaseModel):
    """The frequent values of one field."""

    field: str
    values: Annotated[list[ValueItem], Field(description="The most frequent first.")]
    truncated: Annotated[bool, Field(description="Whether it has more values than in this list.")]


class FacetList(BaseModel):
    """Fields with their values, in the requested order."""

    items: list[Facet]
