"""The Python clients of the API: ``from spanloom import Client, AsyncClient``.

It needs no part of the server; ``docs/client.md`` shows how it is used.
"""

from spanloom.client.async_client import AsyncClient
from spanloom.client.changes import AsyncChanges, Change, Changes
from spanloom.client.client import Client
from spanloom.client.diff_models import Diff
from spanloom.client.errors import (
    ApiError,
    ClientError,
    ForbiddenError,
    GoneError,
    InvalidParameterError,
    NotFoundError,
    NotInstalledError,
    NotSpanloomError,
    QueryError,
    TimedOutError,
    UnauthenticatedError,
    UnavailableError,
    UnreachableError,
)
from spanloom.client.models import AgentStep, Replay, RootStep, SpanVerdict, Step, Trajectory
from spanloom.core.records.run import Run

__all__ = [
    "AgentStep",
    "ApiError",
    "AsyncChanges",
    "AsyncClient",
    "Change",
    "Changes",
    "Client",
    "ClientError",
    "Diff",
    "ForbiddenError",
    "GoneError",
    "InvalidParameterError",
    "NotFoundError",
    "NotInstalledError",
    "NotSpanloomError",
    "QueryError",
    "Replay",
    "RootStep",
    "Run",
    "SpanVerdict",
    "Step",
    "TimedOutError",
    "Trajectory",
    "UnauthenticatedError",
    "UnavailableError",
    "UnreachableError",
]
