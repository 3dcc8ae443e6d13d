"""Which projects a request may see: the one place where a caller becomes a reach."""

from typing import Annotated

from fastapi import Depends, Request

from spanloom.api.doorkeeper import caller_of
from spanloom.core.model.access import ALL_PROJECTS
from spanloom.core.model.tenancy import Reach


def reach_of(request: Request) -> Reach:
    """Return the projects that the caller's key opens; a route narrows it by its ``project``."""
    project = caller_of(request).project
    return Reach.ALL if project == ALL_PROJECTS else Reach.only(project)


CallersReach = Annotated[Reach, Depends(reach_of)]
"""The reach of the caller, as a parameter of a route."""
