"""Request and response models for the frequent values of several fields."""

from typing import Annotated

from pydantic import BaseModel, Field

from spanloom.api.query.questions import read_steps_where, read_where
from spanloom.api.schemas import Where
from spanloom.api.stats.schemas import SUBJECTS, SomeRuns
from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.stats import COUNT, Metric, Numbers, parse_by
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.problems import both
from spanloom.core.records.field import Of, ValueItem

MAX_FACETS = 12
"""Maximum of fields in a request: each one is a query to the store."""


class FacetsQuery(SomeRuns):
    """Which values of several fields to give, among which runs."""

    of: Of = "trajectories"
    fields: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1000,
            description=f"Fields of text or choice, by commas; {MAX_FACETS} at most.",
            examples=["agent,model,status"],
        ),
    ]
    where: Where = None
    limit: Annotated[
        int, Field(ge=1, le=100, description="The most values to give of each.", examples=[10])
    ] = 10

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
                top=self.limit + 2,  # one for the absent value, one to see whether there are more
                where=runs,
                steps_where=steps,
            )
            for field in fields
        ]


class Facet(BaseModel):
    """The frequent values of one field."""

    field: str
    values: Annotated[list[ValueItem], Field(description="The most frequent first.")]
    truncated: Annotated[bool, Field(description="Whether it has more values than these.")]


class FacetList(BaseModel):
    """Fields with their values, in the order in which they were asked for."""

    items: list[Facet]
