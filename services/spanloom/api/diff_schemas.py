"""What is laid side by side, as the API is asked for it."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from spanloom.api.filters import Name

Version = Annotated[int, Field(ge=1, le=2**32 - 1)]


class DiffQuery(BaseModel):
    """Which runs, in which versions, and how much of them to show."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project: Annotated[
        Name | None,
        Field(
            description="The project to look in; without it, the newest that has the trace.",
            examples=["default"],
        ),
    ] = None
    other_project: Annotated[
        Name | None,
        Field(
            description="The project of the other run, if it is another one.", examples=["default"]
        ),
    ] = None
    version: Annotated[
        Version | None,
        Field(description="Of the run that is named first; absent: the newest.", examples=[1]),
    ] = None
    other_version: Annotated[
        Version | None,
        Field(description="Of the other run; absent: the newest.", examples=[1]),
    ] = None
    every: Annotated[
        bool, Field(description="Give the steps that are the same, too.", examples=[False])
    ] = False
    whole_texts: Annotated[
        bool, Field(description="Give whole texts, not 400 characters.", examples=[False])
    ] = False
