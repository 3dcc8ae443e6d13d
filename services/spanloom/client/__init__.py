"""The Python clients of the HTTP API: ``from spanloom import Client, AsyncClient``.

In: a service's URL, an API key, and a method call per endpoint. Out: typed objects (``models.py``),
iterables that fetch page by page (``found.py``), or a ``ClientError`` (``errors.py``). Start with
``client.Client`` and ``calls/``, which builds the requests. No server code is imported;
``docs/client.md`` shows how to use the clients.
"""

from spanloom.client.async_client import AsyncClient
from spanloom.client.changes import AsyncChanges, Changes
from spanloom.client.client import Client
from spanloom.client.errors import (
    ApiError,
    ClientError,
    ConflictError,
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
from spanloom.client.models import AgentStep, Diff, RootStep, Step, Trajectory
from spanloom.core.records.change import Change
from spanloom.core.records.run import Run
from spanloom.core.records.span import SpanVerdict
from spanloom.core.records.upkeep import Replay

__all__ = [
    "AgentStep",
    "ApiError",
    "AsyncChanges",
    "AsyncClient",
    "Change",
    "Changes",
    "Client",
    "ClientError",
    "ConflictError",
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
