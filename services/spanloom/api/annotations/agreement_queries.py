"""Parameters of agreement: which annotations are compared, and which part of them is listed."""

from typing import Annotated

from fastapi import Query

from spanloom.annotation.agreement import ComparisonQuery
from spanloom.annotation.blind import withheld_from
from spanloom.api.annotations.annotators import (
    OneProject,
    Reader,
    SinceInQuery,
    UntilInQuery,
    asked_rows,
)
from spanloom.api.services import Services
from spanloom.core.annotation.comparison import UnitMark, Units, differing, shared_units
from spanloom.core.model.access import Reach


class AgreementQuery:
    """Parameters that select the annotations to compare."""

    def __init__(
        self,
        project: OneProject,
        reader: Reader,
        scheme: Annotated[
            str, Query(description="The scheme.", max_length=200, examples=["potato"])
        ],
        queue: Annotated[
            str, Query(description="Only items of this queue.", max_length=200, examples=[""])
        ] = "",
        since: SinceInQuery = None,
        until: UntilInQuery = None,
        with_changed: Annotated[
            bool,
            Query(description="Count annotations of steps that have changed too.", examples=[True]),
        ] = False,
    ) -> None:
        """Read the parameters; FastAPI calls this as a dependency."""
        self.project, self.reader, self.scheme, self.queue = project, reader, scheme, queue
        self.rows = asked_rows(scheme, "", since, until)
        self.with_changed = with_changed

    def asked(self, using: Services) -> ComparisonQuery:
        """Return the query; raises ``UnknownSchemeError`` and ``UnknownQueueError``."""
        desks = using.annotating.queues.views
        desk = desks.named(self.project, self.queue) if self.queue else None
        return ComparisonQuery(
            self.project,
            using.annotating.schemes.find(self.project, self.scheme),
            self.rows,
            withheld_from(using.store.queues, Reach.only(self.project), self.reader),
            {item.trace_id for item in desk.items} if desk else None,
            self.with_changed,
        )


class PartQuery:
    """Parameters that select a part of the compared units."""

    def __init__(
        self,
        measure: Annotated[
            str, Query(description="Of what is said.", max_length=40, examples=["correctness"])
        ] = "correctness",
        agent: Annotated[
            str,
            Query(description="Only steps of this agent.", max_length=512, examples=["planner"]),
        ] = "",
        step_type: Annotated[
            str, Query(description="Only steps of this type.", max_length=40, examples=["tool"])
        ] = "",
        first: Annotated[
            str, Query(description="An annotator of a pair.", max_length=100, examples=["ada"])
        ] = "",
        second: Annotated[
            str, Query(description="The other one.", max_length=100, examples=["bo"])
        ] = "",
        first_says: Annotated[
            str, Query(description="What the first says.", max_length=512, examples=["correct"])
        ] = "",
        second_says: Annotated[
            str, Query(description="What the other says.", max_length=512, examples=["incorrect"])
        ] = "",
    ) -> None:
        """Read the parameters; FastAPI calls this as a dependency."""
        self.measure, self.agent, self.step_type = measure, agent, step_type
        self.pair = [first, second] if first and second else []
        self.says = [first_says, second_says] if first_says and second_says else []

    def has(self, row: UnitMark) -> bool:
        """Return whether a row matches the requested agent and step type."""
        return self.agent in ("", row.agent) and self.step_type in ("", row.step_type)

    def units(self, units: Units) -> Units:
        """Return the units on which annotators, or a pair, differ.

        With ``says``: the units on which the pair says exactly that, alike or not.
        """
        if not self.pair:
            return differing(units)
        found = shared_units(units, self.pair, self.says)
        return found if self.says else differing(found)
