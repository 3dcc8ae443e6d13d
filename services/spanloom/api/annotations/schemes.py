"""Routes for annotation schemes, which are Potato configurations: list, store, check."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from spanloom.api.annotations.annotators import OneProject
from spanloom.api.annotations.examples import CHECKED, SCHEME, SCHEMES
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.runs.places import ProjectInQuery, Reader
from spanloom.api.services import Using
from spanloom.core.annotation.presets import presets
from spanloom.core.annotation.scheme import Scheme
from spanloom.core.annotation.scheme_reader import SchemeReading, check_schemes
from spanloom.core.model.access import Scope
from spanloom.core.records.scheme import (
    EXAMPLE_SCHEME,
    CheckedScheme,
    SchemeItem,
    SchemeList,
    SchemeRemark,
)


class SchemeText(BaseModel):
    """A scheme as it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: Annotated[
        str,
        Field(
            max_length=60_000,
            description="YAML or JSON: one scheme, a list, or a whole configuration of Potato.",
            examples=[EXAMPLE_SCHEME],
        ),
    ]


class CheckedSchemes(BaseModel):
    """The schemes in a checked text."""

    schemes: list[CheckedScheme]


def stored_scheme(project: str, reading: SchemeReading, put_by: str, at_us: int) -> SchemeItem:
    """Return a stored scheme as a response model; ``at_us`` is microseconds since the epoch."""
    remarks = list(map(SchemeRemark.made_of, reading.remarks))
    put = {"put_at": str(at_us // 1_000), "put_by": put_by}
    return SchemeItem.made_of(reading.scheme, project=project, remarks=remarks, **put)


def preset(scheme: Scheme) -> SchemeItem:
    """Return a built-in scheme as a response model."""
    return SchemeItem.made_of(scheme, put_by="", remarks=[])


router = APIRouter(tags=["annotations"])

SchemeNameInPath = Annotated[
    str,
    Path(
        description="Name of the scheme, as in its text.",
        min_length=1,
        max_length=200,
        examples=["step_evaluation"],
    ),
]


@router.get(
    "/v1/schemes",
    operation_id="listSchemes",
    summary="List annotation schemes",
    responses={200: SCHEMES, **store_problems()},
)
@needs(Scope.READ)
async def list_schemes(
    callers: CallersReach, using: Using, project: ProjectInQuery = None
) -> SchemeList:
    """Return the stored schemes, and the presets `mast`, `potato` and `trail`."""
    reach = callers.narrowed(project)
    found = await using.calls.run(using.annotating.schemes.listed, reach)
    items = [stored_scheme(s.project, reading, s.put_by, s.at_us) for s, reading in found]
    return SchemeList(items=items, presets=list(map(preset, presets().values())))


@router.put(
    "/v1/schemes/{name:path}",  # names in Potato may contain slashes
    operation_id="putScheme",
    summary="Put an annotation scheme",
    responses={200: SCHEME, **store_problems(413)},
)
@needs(Scope.ANNOTATE)
async def put_scheme(
    name: SchemeNameInPath,
    requested: SchemeText,
    project: OneProject,
    using: Using,
    reader: Reader,
) -> SchemeItem:
    """Store a scheme; annotations made with an older text are not changed.

    If weights, the highest score or the correct option changed, stored scores are updated before
    the response. The response names what was not understood, with its line. An invalid scheme is
    422.
    """
    at_us = using.annotating.writing.now_us()
    put = using.annotating.rescoring.put
    reading = await using.calls.run(put, project, name, requested.text, reader, at_us)
    return stored_scheme(project, reading, reader, at_us)


@router.post(
    "/v1/schemes/check",
    operation_id="checkSchemes",
    summary="Check a text of schemes",
    responses={200: CHECKED, **store_problems(413)},
)
@needs(Scope.ANNOTATE)
async def check(requested: SchemeText, using: Using) -> CheckedSchemes:
    """Return each scheme of the text with remarks and errors; nothing is stored."""
    found = await using.calls.run(check_schemes, requested.text)
    return CheckedSchemes(schemes=list(map(CheckedScheme.made_of, found)))
