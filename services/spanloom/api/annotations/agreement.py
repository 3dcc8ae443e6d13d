"""Routes of inter-annotator agreement: its measures, and the units that they are computed from."""

from collections.abc import Hashable, Mapping
from typing import Annotated

from fastapi import APIRouter, Depends

from spanloom.api.annotations.agreement_queries import AgreementQuery, PartQuery
from spanloom.api.annotations.examples import AGREEMENT, UNITS
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.services import Using
from spanloom.core.annotation.comparison import Unit, UnitMark, aspects_of
from spanloom.core.model.access import Scope
from spanloom.core.records.agreement import Agreement, UnitItem, UnitList

router = APIRouter(tags=["annotations"])

MOST_UNITS = 200
"""Maximum of units listed for one measure."""
_READING = problem_responses(401, 403, 404, 422, 503)


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
        return Agreement.made_of(found, scheme=query.scheme, project=query.project)

    return await using.calls.run(agree)


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
        said = list(filter(part.has, found.marks))
        scores = {} if part.agent or part.step_type else found.scores
        aspects = aspects_of(asked.scheme, said, scores)
        units = part.units(next((a.units for a in aspects if a.name == part.measure), {}))
        places = {row.unit: row for row in said}
        items = [_item(u, units[u], places.get(u)) for u in sorted(units)[:MOST_UNITS]]
        return UnitList(total=len(units), items=items)

    return await using.calls.run(read)


def _item(unit: Unit, values: Mapping[str, Hashable], row: UnitMark | None) -> UnitItem:
    said = {who: str(value) for who, value in values.items()}
    agent, step_type, quote = (row.agent, row.step_type, row.quote) if row else ("", "", "")
    return UnitItem(**unit._asdict(), agent=agent, step_type=step_type, quote=quote, values=said)
