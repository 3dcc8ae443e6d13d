"""Writers of rows in formats other than JSON: a header, pages of rows, and an end."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import orjson

from spanloom.core.formats.entry import CSV, NDJSON
from spanloom.core.showing.csv_text import csv_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.api.rows.columns import Columns

    Row = Mapping[str, Any]  # as in JSON


class Written(NamedTuple):
    """A page of rows as written by a ``Form``."""

    body: bytes
    weight: int
    """Its size in memory, in bytes, by which the size of the next page is chosen."""


class Form(Protocol):
    """Writes the rows of one answer page by page."""

    media_type: ClassVar[str]

    def __init__(self, columns: Columns) -> None:
        """Start an answer whose rows have these columns."""

    def head(self) -> bytes:
        """Return the bytes before the rows."""

    def page(self, rows: Sequence[Row]) -> Written:
        """Return a page of rows, written."""

    def end(self, told: Mapping[str, object]) -> bytes:
        """Return the bytes that mark the answer as complete, with some members about it."""

    def broken(self, error: str, count: int) -> bytes | None:
        """Return the bytes that mark the answer as incomplete after ``count`` rows.

        ``None``: the format can't express it, so the connection has to be cut.
        """


class Ndjson:
    """A line of JSON for each row; the last line says whether the answer is complete."""

    media_type: ClassVar[str] = NDJSON

    def __init__(self, _columns: Columns) -> None:
        """See ``Form``; the columns are not needed, since each line names its own."""

    def head(self) -> bytes:
        """See ``Form.head``."""
        return b""

    def page(self, rows: Sequence[Row]) -> Written:
        """See ``Form.page``."""
        body = io.BytesIO()
        for row in rows:  # one at a time: orjson's results take up to 15 times their size
            body.write(_line(row))
        return Written(body.getvalue(), body.tell())

    def end(self, told: Mapping[str, object]) -> bytes:
        """See ``Form.end``."""
        return _line({"end": True, **told})

    def broken(self, error: str, count: int) -> bytes:
        """See ``Form.broken``."""
        return _line({"error": error, "count": count})


class Csv:
    """RFC 4180 with a header, in UTF-8: null is empty, a list or an object is JSON."""

    media_type: ClassVar[str] = CSV

    def __init__(self, columns: Columns) -> None:
        """See ``Form``."""
        self._names = list(columns)

    def head(self) -> bytes:
        """See ``Form.head``."""
        return csv_lines([self._names]).encode()

    def page(self, rows: Sequence[Row]) -> Written:
        """See ``Form.page``."""
        body = csv_lines([row.get(name) for name in self._names] for row in rows).encode()
        return Written(body, len(body))

    def end(self, _told: Mapping[str, object]) -> bytes:
        """See ``Form.end``."""
        return b""

    def broken(self, _error: str, _count: int) -> None:
        """See ``Form.broken``: a line with an error would be read as one more row."""


def _line(told: Mapping[str, object]) -> bytes:
    return orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE)
