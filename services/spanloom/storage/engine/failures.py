"""Translates errors of the driver to errors of the pipeline, and refuses expensive queries."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clickhouse_connect.driver.exceptions import ClickHouseError, DataError

from spanloom.core.errors import (
    InvalidQueryError,
    StoreFaultError,
    StoreRejectedError,
    StoreTooSmallError,
    StoreUnavailableError,
)
from spanloom.core.secrets import hide

if TYPE_CHECKING:
    from collections.abc import Iterator

ACCESS_DENIED = 497
_DENIED = re.compile(
    r"(?P<account>\S+): Not enough privileges\. To execute this query, it's necessary to have the "
    r"grant (?P<privilege>.+?) ON (?P<place>[^\s:]+?)(?: WITH GRANT OPTION)?\.?(?=[\s:(]|$)"
)

REFUSALS = frozenset(
    {
        6,  # CANNOT_PARSE_TEXT
        27,  # CANNOT_PARSE_INPUT_ASSERTION_FAILED
        32,  # ATTEMPT_TO_READ_AFTER_EOF: a truncated message
        33,  # CANNOT_READ_ALL_DATA: a truncated message too
        69,  # ARGUMENT_OUT_OF_BOUND
        70,  # CANNOT_CONVERT_TYPE
        72,  # CANNOT_PARSE_NUMBER
        117,  # INCORRECT_DATA
        128,  # TOO_LARGE_ARRAY_SIZE
        131,  # TOO_LARGE_STRING_SIZE
        190,  # SIZES_OF_ARRAYS_DONT_MATCH
        248,  # INVALID_PARTITION_VALUE
        321,  # VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
        436,  # PROTOBUF_BAD_CAST
        467,  # CANNOT_PARSE_BOOL
        469,  # VIOLATED_CONSTRAINT
        691,  # UNKNOWN_ELEMENT_OF_ENUM
    }
)
"""The ClickHouse errors caused by the data of a request.

All other errors are caused by the store: a full disk alone has three codes (75, 243, and 1001 if
inodes have run out), and a new release may add more. An unnecessary retry loses nothing.
"""

FAULTS = frozenset(
    {
        10,  # NOT_FOUND_COLUMN_IN_BLOCK
        20,  # NUMBER_OF_COLUMNS_DOESNT_MATCH
        36,  # BAD_ARGUMENTS
        42,  # NUMBER_OF_ARGUMENTS_DOESNT_MATCH
        43,  # ILLEGAL_TYPE_OF_ARGUMENT
        44,  # ILLEGAL_COLUMN
        46,  # UNKNOWN_FUNCTION
        47,  # UNKNOWN_IDENTIFIER
        49,  # LOGICAL_ERROR
        53,  # TYPE_MISMATCH
        62,  # SYNTAX_ERROR
        444,  # UNKNOWN_PROTOBUF_FORMAT
        457,  # BAD_QUERY_PARAMETER
    }
)
"""The errors of a statement, whatever its data, due to a bug in Spanloom or in the engine."""

TOO_MUCH_AT_ONCE = frozenset(
    {
        158,  # TOO_MANY_ROWS
        159,  # TIMEOUT_EXCEEDED
        173,  # CANNOT_ALLOCATE_MEMORY
        241,  # MEMORY_LIMIT_EXCEEDED
        307,  # TOO_MANY_BYTES
        396,  # TOO_MANY_ROWS_OR_BYTES
    }
)
"""The ClickHouse errors that a smaller batch may avoid."""


@contextmanager
def translated() -> Iterator[None]:
    """Translate any exception of the driver to one of the three errors of a store.

    ``StoreRejectedError`` is caused by the data, ``StoreFaultError`` by the statement, and
    ``StoreUnavailableError`` by a temporary state. ``REFUSALS`` and ``FAULTS`` are permanent, and
    so is a Python value that does not fit its column. Every other error is retryable, including an
    error without a code, after which the request may have been executed or not.
    """
    try:
        yield
    except DataError as error:
        raise StoreRejectedError(f"the store cannot hold it: {hide(str(error))}") from error
    except ClickHouseError as error:
        code = getattr(error, "code", None)
        if code is None:
            raise StoreUnavailableError(
                f"the store did not accept it: {cause_of(error)}"
            ) from error
        text = hide(str(error)).split("\n", 1)[0][:500]
        if code == ACCESS_DENIED and (lacks := denied(hide(str(error)))):
            raise StoreUnavailableError(lacks) from error
        if code in FAULTS:
            raise StoreFaultError(f"the store failed on it: {text}") from error
        if code in TOO_MUCH_AT_ONCE:
            raise StoreTooSmallError(f"the store has no room for it: {text}") from error
        if code not in REFUSALS:
            raise StoreUnavailableError(f"the store did not accept it: {text}") from error
        raise StoreRejectedError(f"the store refuses it: {text}") from error
    except OSError as error:
        raise StoreUnavailableError(f"the store cannot be reached: {hide(str(error))}") from error


def cause_of(error: BaseException) -> str:
    """Return the reason for an error that has no code; omit the request and secrets.

    The reason is the operating system's error. Drivers wrap it several times, in texts with the URL
    and all settings.
    """
    seen = [error]
    while (cause := seen[-1].__cause__ or seen[-1].__context__) and cause not in seen:
        seen.append(cause)
    first = seen[-1]
    text = getattr(first, "strerror", None) or str(first)
    return hide(text.partition(" (for url ")[0].split("\n", 1)[0])[:500]


CANNOT_COMPILE_REGEXP = 427


@contextmanager
def bounded() -> Iterator[None]:
    """Raise ``InvalidQueryError`` if the store aborts a query or cannot compile a pattern.

    Repeating a query that exceeded its limits of time, memory or bytes does not help; the user has
    to narrow it.
    """
    try:
        yield
    except StoreTooSmallError as error:
        raise InvalidQueryError(
            "this asks for more than the store reads for one question: narrow the time range,"
            " or name a project"
        ) from error
    except StoreUnavailableError as error:
        cause = error.__cause__
        if getattr(cause, "code", None) != CANNOT_COMPILE_REGEXP:
            raise
        wrong = hide(str(cause)).partition("cannot compile re2: ")[2].partition(". Look at")[0]
        raise InvalidQueryError(f"this is no pattern of RE2: {wrong}", "where") from error


def denied(text: str) -> str:
    """Return a sentence for users if a server's error denies access; empty for other errors."""
    found = _DENIED.search(text)
    return sentence(found["account"], found["privilege"], found["place"]) if found else ""


def sentence(account: str, privilege: str, place: str) -> str:
    """Return an error text for an account that lacks a right, with the ``GRANT`` statement."""
    named = f"`{account}`" if not account.isidentifier() else account
    grant = f"GRANT {privilege} ON {place} TO {named}"
    return f"the account {account} lacks a right that it needs: {grant}"
