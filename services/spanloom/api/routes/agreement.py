"""How far annotators agree, and what that was counted from."""

from collections.abc import Hashable, Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from spanloom.annotating.agreeing import Asked
from spanloom.annotating.blind import withheld_from
from spanloom.api.agreement_schemas import Agreement, UnitItem, UnitList
from spanloom.api.annotation_examples import AGREEMENT, UNITS
from spanloom.api.annotators import OneProject, Reader
from spanloom.api.needs import needs
from spanloom.api.problems import problem_responses
from spanloom.api.routes.annotation_exchange import FromInQuery, ToInQuery, asked_rows
from spanloom.api.services import Services, Using
from spanloom.core.annotation.units import Said, Unit, Units, aspects_of, differing, said_by
from spanloom.core.model.access import Scope
from spanloom.core.model.tenancy import Reach

router = APIRouter(tags=["annotations"])

MOST_UNITS = 200
"""That are shown of one figure."""
_READING = problem_responses(401, 403, 404, 422, 503)


class AgreementQuery:
    """Whose annotations are compared."""

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
        since: FromInQuery = None,
        until: ToInQuery = None,
        with_changed: Annotated[
            bool,
            Query(description="Count annotations of steps that have changed too.", examples=[True]),
        ] = False,
    ) -> None:
        """Take the parameters."""
        self.project, self.reader, self.scheme, self.queue = project, reader, scheme, queue
        self.rows = asked_rows(scheme, "", since, until)
        self.with_changed = with_changed

    def asked(self, using: Services) -> Asked:
        """Return what is compared; raises ``UnknownSchemeError`` and ``UnknownQueueError``."""
        desks = using.annotating.queues.desks
        desk = desks.named(self.project, self.queue) if self.queue else None
        return Asked(
            self.project,
            using.annotating.schemes.find(self.project, self.scheme),
            self.rows,
            withheld_from(using.store, Reach.only(self.project), self.reader),
            {item.trace_id for item in desk.items} if desk else None,
            self.with_changed,
        )


Comparing = Annotated[AgreementQuery, Depends()]


@router.get(
    "/v1/agreement",
    operation_id="getAgreement",
    summary="See how far annotators agree",
    responses={200: AGREEMENT, **_READING},
)
@needs(Scope.READ)
async def get_agreement(query: Comparing, using: Using) -> Agreement:
    """Return alpha, kappa and percent for each thing that the scheme asks.

    What is not defined is null, with the reason. What adjudicators decided is not compared.
    """

    def agree() -> Agreement:
        found = using.annotating.agreeing.agree(query.asked(using))
        return Agreement.of(query.scheme, query.project, found)

    return await using.calls.run(agree)


class PartQuery:
    """Which part of what is compared."""

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
        """Take the parameters."""
        self.measure, self.agent, self.step_type = measure, agent, step_type
        self.pair = [first, second] if first and second else []
        self.says = [first_says, second_says] if first_says and second_says else []

    def has(self, row: Said) -> bool:
        """Return whether a row is of the agent and the type that are asked for."""
        return self.agent in ("", row.agent) and self.step_type in ("", row.step_type)

    def units(self, units: Units) -> Units:
        """Return those of which annotators differ, or of which a pair says just what is asked."""
        if not self.pair:
            return differing(units)
        found = said_by(units, self.pair, self.says)
        return found if self.says else differing(found)


@router.get(
    "/v1/agreement/units",
    operation_id="listAgreementUnits",
    summary="See what an agreement was counted from",
    responses={200: UNITS, **_READING},
)
@needs(Scope.READ)
async def list_units(
    query: Comparing, part: Annotated[PartQuery, Depends()], using: Using
) -> UnitList:
    """Return up to 200 steps, or runs, of which annotators say different things.

    With a pair and what each says it is those of which they say just that, the same or not.
    """

    def read() -> UnitList:
        asked = query.asked(using)
        found = using.annotating.agreeing.gather(asked)
        said = list(filter(part.has, found.said))
        scores = {} if part.agent or part.step_type else found.scores
        aspects = aspects_of(asked.scheme, said, scores)
        units = part.units(next((a.units for a in aspects if a.name == part.measure), {}))
        places = {row.unit: row for row in said}
        items = [_item(u, units[u], places.get(u)) for u in sorted(units)[:MOST_UNITS]]
        return UnitList(total=len(units), items=items)

    return await using.calls.run(read)


def _item(unit: Unit, values: Mapping[str, Hashable], row: Said | None) -> UnitItem:
    said = {who: str(value) for who, value in values.items()}
    agent, step_type = (row.agent, row.step_type) if row else ("", "")
    return UnitItem(**unit._asdict(), agent=agent, step_type=step_type, values=said)
