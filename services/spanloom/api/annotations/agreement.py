"""Routes for inter-annotator agreement: the measures, and the steps or runs compared for them."""

from collections.abc import Hashable, Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from spanloom.annotation.agreement import ComparisonQuery
from spanloom.annotation.reading import withheld_from
from spanloom.api.annotations.annotators import (
    OneProject,
    SinceInQuery,
    UntilInQuery,
    annotation_query,
)
from spanloom.api.annotations.examples import AGREEMENT, UNITS
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.runs.places import Reader
from spanloom.api.services import Services, Using
from spanloom.core.annotation.comparison import (
    Unit,
    UnitMark,
    Units,
    aspects_of,
    differing,
    shared_units,
)
from spanloom.core.model.access import Reach, Scope
from spanloom.core.records.agreement import Agreement, UnitItem, UnitList


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
        self.rows = annotation_query(scheme, "", since, until)
        self.with_changed = with_changed

    def comparison(self, using: Services) -> ComparisonQuery:
        """Return the query; raises ``UnknownSchemeError`` and ``UnknownQueueError``."""
        views = using.annotating.queues.views
        view = views.named(self.project, self.queue) if self.queue else None
        return ComparisonQuery(
            self.project,
            using.annotating.schemes.find(self.project, self.scheme),
            self.rows,
            withheld_from(using.store.queues, Reach.only(self.project), self.reader),
            {item.trace_id for item in view.items} if view else None,
            self.with_changed,
        )


class PartQuery:
    """Parameters that select some of the compared units (steps or runs)."""

    def __init__(
        self,
        measure: Annotated[
            str,
            Query(description="A question of the scheme.", max_length=40, examples=["correctness"]),
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
            str, Query(description="The other annotator.", max_length=100, examples=["bo"])
        ] = "",
        first_says: Annotated[
            str, Query(description="The answer of the first.", max_length=512, examples=["correct"])
        ] = "",
        second_says: Annotated[
            str,
            Query(description="The answer of the other.", max_length=512, examples=["incorrect"]),
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
        """Return the units that annotators judged differently: any annotators, or the given pair.

        With ``says``, return the units for which the pair gave exactly these two answers, even if
        the answers are equal.
        """
        if not self.pair:
            return differing(units)
        found = shared_units(units, self.pair, self.says)
        return found if self.says else differing(found)


router = APIRouter(tags=["annotations"])

MOST_UNITS = 200
"""Maximum number of units listed for one measure."""
_READING = store_problems(404)


Comparing = Annotated[AgreementQuery, Depends()]


@router.get(
    "/v1/agreement",
    operation_id="getAgreement",
    summary="Get the agreement of annotators",
    responses={200: AGREEMENT, **_READING},
)
@needs(Scope.READ)
async def get_agreement(query: Comparing, using: Using) -> Agreement:
    """Return alpha, kappa and percent for each question of the scheme.

    An undefined value is null, with the reason. Decisions of adjudicators are not compared.
    """

    def agree() -> Agreement:
        found = using.annotating.agreeing.agree(query.comparison(using))
        return Agreement.made_of(found, scheme=query.scheme, project=query.project)

    return await using.calls.run(agree)


@router.get(
    "/v1/agreement/units",
    operation_id="listAgreementUnits",
    summary="List steps or runs on which annotators disagree",
    responses={200: UNITS, **_READING},
)
@needs(Scope.READ)
async def list_units(
    query: Comparing, part: Annotated[PartQuery, Depends()], using: Using
) -> UnitList:
    """Return up to 200 steps, or runs, on which annotators disagree.

    With two annotators and an answer of each, return those with exactly these answers.
    """

    def read() -> UnitList:
        comparison = query.comparison(using)
        found = using.annotating.agreeing.gather(comparison)
        marks = list(filter(part.has, found.marks))
        scores = {} if part.agent or part.step_type else found.scores
        aspects = aspects_of(comparison.scheme, marks, scores)
        units = part.units(next((a.units for a in aspects if a.name == part.measure), {}))
        places = {row.unit: row for row in marks}
        items = [_item(u, units[u], places.get(u)) for u in sorted(units)[:MOST_UNITS]]
        return UnitList(total=len(units), items=items)

    return await using.calls.run(read)


def _item(unit: Unit, values: Mapping[str, Hashable], row: UnitMark | None) -> UnitItem:
    texts = {who: str(value) for who, value in values.items()}
    agent, step_type, quote = (row.agent, row.step_type, row.quote) if row else ("", "", "")
    return UnitItem(**unit._asdict(), agent=agent, step_type=step_type, quote=quote, values=texts)
