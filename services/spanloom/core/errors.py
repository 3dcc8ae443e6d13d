"""Every error that Spanloom raises on purpose.

Callers distinguish two base classes: after a *permanent* error the same input would fail again,
after a *retryable* error it may succeed later. ``collector/doors/status.py`` maps errors to the
statuses of receivers, ``api/http/error_handlers.py`` to those of the API.
"""

from __future__ import annotations


class SpanloomError(Exception):
    """The base of all errors raised on purpose; the message is written for the user."""


class PermanentError(SpanloomError):
    """Raised if the same input would fail again, so that a retry is useless."""


class RetryableError(SpanloomError):
    """Raised if the same input may succeed later, after ``retry_after_s`` seconds."""

    def __init__(self, message: str, retry_after_s: float = 1.0) -> None:
        """Store the retry hint in seconds, which receivers pass on to the client."""
        super().__init__(message)
        self.retry_after_s = retry_after_s


class InvalidRequestError(PermanentError):
    """The request cannot be decoded or breaks a rule as a whole (400, INVALID_ARGUMENT)."""


class UnsupportedEncodingError(PermanentError):
    """The content type or content coding is not supported (415)."""


class RequestTooLargeError(PermanentError):
    """The request is larger than a configured limit (413, RESOURCE_EXHAUSTED)."""


class UnauthenticatedError(PermanentError):
    """The request has no key, or an invalid one (401, UNAUTHENTICATED)."""


class PermissionDeniedError(PermanentError):
    """The key lacks the scope or project that the request needs (403, PERMISSION_DENIED)."""


class NotFoundError(PermanentError):
    """The base of errors for names and ids that do not exist (404)."""


class ConflictError(PermanentError):
    """The base of errors for requests that the current state does not allow (409)."""


class OverloadedError(RetryableError):
    """The spool is full, too many bytes are in flight or the service stops (503, UNAVAILABLE)."""


class RateLimitedError(RetryableError):
    """The sender's project is over its rate or its quota (429, RESOURCE_EXHAUSTED)."""


class StoreUnavailableError(RetryableError):
    """The store did not answer, or cannot accept data at the moment."""


class NoHeartbeatError(PermanentError):
    """The process's ClickHouse account may not write heartbeats; the process works without them."""


class KeysUnknownError(RetryableError):
    """No keys have been read yet, so no request can be authenticated (503, UNAVAILABLE)."""


class StoreTooSmallError(StoreUnavailableError):
    """The store lacks the memory or time for this much data; a smaller batch may succeed."""


class StoreRejectedError(PermanentError):
    """The store refuses this data permanently, and would refuse it again."""


class StoreFaultError(StoreRejectedError):
    """The store refuses a statement, but not because of the data; possibly a bug in Spanloom."""


class NotEmbeddedError(ConflictError):
    """The operation exists in the embedded store only, and the store is a server (409)."""


class SchemaTooNewError(PermanentError):
    """The store was written by a newer version of Spanloom."""


class StartupError(PermanentError):
    """The process cannot start as configured; only the message is printed, without a traceback."""


class SchemaNotReadyError(StartupError):
    """The store lacks tables or columns of this version; the message names the command to run."""


class MigrationUnderWayError(StartupError):
    """Another process is migrating the store and has not finished in time."""


class SchemaTooOldError(StartupError):
    """A store or spool was made before 0.1.0, the first release; the message gives the remedy."""

    def __init__(self, what: str) -> None:
        """Build the message; ``what`` is the subject, such as ``the spool /data/spool.sqlite``."""
        super().__init__(
            f"{what} was made by a Spanloom before 0.1.0, which this one does not read: export its "
            "runs with the version that made it (`spanloom export --format otlp`), start this one "
            "with an empty data directory or database, and import them (`spanloom import`)"
        )


class SchemaLostError(StartupError):
    """The store has tables, but not the list of the migrations that created them."""


class SchemaChangedError(StartupError):
    """A migration differs from the migration with the same number that the store has applied."""


class InvalidQueryError(PermanentError):
    """A query is invalid (422)."""

    parameter = ""
    """The name of the invalid parameter; empty if the error is not in a single parameter."""

    def __init__(self, message: str, parameter: str = "") -> None:
        """Put the name of the parameter, if any, in front of the message."""
        super().__init__(f"{parameter}: {message}" if parameter else message)
        self.parameter = parameter or self.parameter
        self.detail = message
        """The message without the parameter's name."""
