"""The Python client of the API: ``from spanloom import Client``.

It needs no part of the server; ``docs/client.md`` shows how it is used.
"""

from spanloom.client.changes import Change, Changes
from spanloom.client.client import Client
from spanloom.client.errors import (
    ApiError,
    ClientError,
    ForbiddenError,
    GoneError,
    InvalidParameterError,
    NotFoundError,
    NotSpanloomError,
    TimedOutError,
    UnauthenticatedError,
    UnavailableError,
    UnreachableError,
)
from spanloom.client.models import (
    AgentStep,
    Replay,
    RootStep,
    SpanVerdict,
    Step,
    Trajectory,
    TrajectorySummary,
)

__all__ = [
    "AgentStep",
    "ApiError",
    "Change",
    "Changes",
    "Client",
    "ClientError",
    "ForbiddenError",
    "GoneError",
    "InvalidParameterError",
    "NotFoundError",
    "NotSpanloomError",
    "Replay",
    "RootStep",
    "SpanVerdict",
    "Step",
    "TimedOutError",
    "Trajectory",
    "TrajectorySummary",
    "UnauthenticatedError",
    "UnavailableError",
    "UnreachableError",
]
