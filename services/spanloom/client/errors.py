"""What can go wrong when a service is asked, as exceptions; all are ``ClientError``.

What the API answers in place of a result is an ``ApiError`` with the members of its problem
document (RFC 9457).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import SpanloomError

if TYPE_CHECKING:
    from collections.abc import Sequence


class ClientError(SpanloomError):
    """A service could not be asked, or refused; the message is written for the user."""


class UnreachableError(ClientError):
    """Nothing answers at the address."""


class TimedOutError(ClientError):
    """The service did not answer in time."""


class NotSpanloomError(ClientError):
    """Something answers, but not as Spanloom does."""


class Fault(NamedTuple):
    """One parameter that the API cannot use."""

    parameter: str
    detail: str


class ApiError(ClientError):
    """The API refused; the message is the problem's ``detail``."""

    def __init__(
        self,
        status: int,
        title: str,
        detail: str,
        faults: Sequence[Fault] = (),
        retry_after_s: float | None = None,
        resume: str | None = None,
    ) -> None:
        """Keep the problem's members."""
        super().__init__(detail)
        self.status = status
        """The HTTP status."""
        self.title = title
        self.detail = detail
        self.faults = tuple(faults)
        """Of 422: each parameter at fault."""
        self.retry_after_s = retry_after_s
        """When to ask again; ``None`` if that is of no use."""
        self.resume = resume
        """Of 410: the token behind which to follow once everything was listed."""


class UnauthenticatedError(ApiError):
    """A key is missing, wrong, expired or revoked (401)."""


class ForbiddenError(ApiError):
    """The key does not allow this (403)."""


class NotFoundError(ApiError):
    """There is no such trajectory, conversation or replay (404)."""


class GoneError(ApiError):
    """The change feed is not kept as far back as a token; ``resume`` is a newer one (410)."""


class InvalidParameterError(ApiError):
    """A parameter cannot be used; ``faults`` says which and why (422)."""


class UnavailableError(ApiError):
    """The service cannot answer at the moment (429, 503)."""


BY_STATUS: dict[int, type[ApiError]] = {
    401: UnauthenticatedError,
    403: ForbiddenError,
    404: NotFoundError,
    410: GoneError,
    422: InvalidParameterError,
    429: UnavailableError,
    503: UnavailableError,
}
"""Every other status is an ``ApiError`` itself."""
