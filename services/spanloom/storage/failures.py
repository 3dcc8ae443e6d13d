"""The one table that turns what the driver raises into what the pipeline understands."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from clickhouse_connect.driver.exceptions import ClickHouseError, DataError

from spanloom.core.errors import StoreRejectedError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator

TRANSIENT_CODES = frozenset(
    {
        60,  # UNKNOWN_TABLE: the store is being set up or repaired, the data is fine
        74,  # CANNOT_READ_FROM_FILE_DESCRIPTOR
        75,  # CANNOT_WRITE_TO_FILE_DESCRIPTOR
        76,  # CANNOT_OPEN_FILE
        81,  # UNKNOWN_DATABASE
        159,  # TIMEOUT_EXCEEDED
        160,  # TOO_SLOW
        164,  # READONLY: the server is read-only at the moment
        173,  # CANNOT_ALLOCATE_MEMORY
        202,  # TOO_MANY_SIMULTANEOUS_QUERIES
        209,  # SOCKET_TIMEOUT
        210,  # NETWORK_ERROR
        225,  # NO_ZOOKEEPER
        236,  # ABORTED
        241,  # MEMORY_LIMIT_EXCEEDED
        242,  # TABLE_IS_READ_ONLY
        243,  # NOT_ENOUGH_SPACE
        252,  # TOO_MANY_PARTS
        279,  # ALL_CONNECTION_TRIES_FAILED
        319,  # UNKNOWN_STATUS_OF_INSERT
        394,  # QUERY_WAS_CANCELLED
        425,  # SYSTEM_ERROR
        439,  # CANNOT_SCHEDULE_TASK
        516,  # AUTHENTICATION_FAILED: a password being changed must cost no data
        999,  # KEEPER_EXCEPTION
    }
)


@contextmanager
def translated() -> Iterator[None]:
    """Raise ``StoreUnavailableError`` or ``StoreRejectedError`` for whatever the driver raises.

    An error without a ClickHouse code never reached the engine or lost its answer: it may
    pass. One with a code not listed above would come again, as would a value of ours that
    has no place in its column.
    """
    try:
        yield
    except DataError as error:
        raise StoreRejectedError(f"the store cannot hold it: {error}") from error
    except ClickHouseError as error:
        code = getattr(error, "code", None)
        text = str(error).split("\n", 1)[0][:500]
        if code is None or code in TRANSIENT_CODES:
            raise StoreUnavailableError(f"the store did not take it: {text}") from error
        raise StoreRejectedError(f"the store refuses it: {text}") from error
    except OSError as error:
        raise StoreUnavailableError(f"the store cannot be reached: {error}") from error
