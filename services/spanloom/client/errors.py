"""The exceptions of the client; all are ``ClientError``.

A problem document (RFC 9457) instead of a result becomes an ``ApiError`` with its members.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.errors import SpanloomError
from spanloom.core.showing.values import point_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class ClientError(SpanloomError):
    """A service could not be reached, or refused a request; the message is for the user."""


class UnreachableError(ClientError):
    """Nothing answers at the service's URL."""


class TimedOutError(ClientError):
    """The service did not respond in time."""


class NotSpanloomError(ClientError):
    """A server answers at the service's URL, but it is not Spanloom."""


class NotInstalledError(ClientError):
    """An optional library is missing; the message contains the command that installs it."""


class Fault(NamedTuple):
    """One parameter that the API rejects."""

    parameter: str
    detail: str
    position: int | None = None
    """For a parameter with a query: the position of the fault, in characters from 0."""
    length: int = 1
    did_you_mean: tuple[str, ...] = ()


class ApiError(ClientError):
    """The API refused a request; the message is the problem document's ``detail``."""

    def __init__(
        self,
        status: int,
        title: str,
        detail: str,
        faults: Sequence[Fault] = (),
        retry_after_s: float | None = None,
        resume: str | None = None,
    ) -> None:
        """Store the problem's members."""
        super().__init__(detail)
        self.status = status
        """The HTTP status."""
        self.title = title
        self.detail = detail
        self.faults = tuple(faults)
        """For 422: each invalid parameter."""
        self.retry_after_s = retry_after_s
        """Seconds until a retry; ``None`` if a retry is useless."""
        self.resume = resume
        """For 410: the token from which to follow the feed after listing all runs again."""


class UnauthenticatedError(ApiError):
    """A key is missing, wrong, expired or revoked (401)."""


class ForbiddenError(ApiError):
    """The API key does not allow the request (403)."""


class NotFoundError(ApiError):
    """The requested object does not exist, or the key may not read it (404)."""


class ConflictError(ApiError):
    """The object was changed since it was read, or its name is already in use (409)."""


class GoneError(ApiError):
    """The change feed no longer reaches back to a token; ``resume`` is a newer token (410)."""


class InvalidParameterError(ApiError):
    """A parameter is invalid; ``faults`` has the parameters and the reasons (422)."""


class QueryError(InvalidParameterError):
    """A ``where``, ``order`` or the like cannot be parsed; a caret in the message shows where."""

    def __init__(self, queries: Mapping[str, str], *problem: Any) -> None:  # see ``ApiError``
        """Store the texts that were sent, keyed by parameter, and the members of the problem."""
        super().__init__(*problem)
        self.queries = queries
        self.query = next(iter(queries.values()), "")
        """The first of the texts that were sent."""

    def __str__(self) -> str:
        """Return every fault below the line of the text that contains it."""
        lines = (_fault_lines(fault, self.queries.get(fault.parameter)) for fault in self.faults)
        return "\n".join(line for some in lines for line in some)


class UnavailableError(ApiError):
    """The service is overloaded or not ready at the moment (429, 503)."""


BY_STATUS: dict[int, type[ApiError]] = {
    401: UnauthenticatedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    422: InvalidParameterError,
    429: UnavailableError,
    503: UnavailableError,
}
"""HTTP status → exception; all other statuses raise ``ApiError`` itself."""


def _fault_lines(fault: Fault, query: str | None) -> list[str]:
    suggested = f"; did you mean {' or '.join(fault.did_you_mean)}?" if fault.did_you_mean else ""
    message = f"{fault.parameter}: {fault.detail}{suggested}"
    if fault.position is None or query is None:
        return [message]
    return [message, *(f"  {line}" for line in point_at(query, fault.position, fault.length))]


_PLACE = re.compile(r"failed at position (\d+)")


PASSING = (UnreachableError, TimedOutError, UnavailableError)
"""The errors that occur while a service restarts or the network is down."""


class SqlError(ClientError):
    """A statement failed on the SQL port, for example because it took too long."""

    def __init__(self, code: int, name: str, message: str, statement: str = "") -> None:
        """Store ClickHouse's error code and name; its message is put on one line."""
        super().__init__(f"SQL {code} {name}: {' '.join(message.split())}")
        self.code, self.name, self.statement = code, name, statement
        place = _PLACE.search(message)
        self.position = int(place[1]) - 1 if place else None
        """Where parsing the statement failed, in bytes from 0; ``None`` if not reported."""


class StatementError(SqlError):
    """A statement cannot be parsed, or is not allowed on the SQL port; shown with its position."""

    def __str__(self) -> str:
        """Return the reason, and below it the line of the statement with a caret."""
        message = super().__str__()
        if self.position is None:
            return message
        before = self.statement.encode()[: self.position].decode(errors="replace")
        return "\n".join(
            [message, *(f"  {line}" for line in point_at(self.statement, len(before)))]
        )
