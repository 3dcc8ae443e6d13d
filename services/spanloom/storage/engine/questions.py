"""What a question may cost: one that asks too much is refused, as it would be the next time."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from spanloom.core.errors import (
    InvalidQueryError,
    StoreTooSmallError,
    StoreUnavailableError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

CANNOT_COMPILE_REGEXP = 427


@contextmanager
def bounded() -> Iterator[None]:
    """Raise ``InvalidQueryError`` where the store gave a question up, or cannot read a pattern.

    What is beyond its limits of time, memory or bytes today is so tomorrow: the reader has to ask
    for less.
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
        wrong = str(cause).partition("cannot compile re2: ")[2].partition(". Look at")[0]
        raise InvalidQueryError(f"this is no pattern of RE2: {wrong}", "where") from error
