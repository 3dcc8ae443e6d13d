"""Forms of rows besides JSON: what stands before them, each page of them, and what ends them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import orjson

from spanloom.core.formats.entry import CSV, NDJSON
from spanloom.core.showing.csv_text import csv_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.api.rows.columns import Columns

    Row = Mapping[str, Any]  # as JSON has it


class Written(NamedTuple):
    """A page of rows in some form."""

    body: bytes
    weight: int
    """How much it held in memory, in bytes: by this the next page is cut."""


class Form(Protocol):
    """Writes the rows of one answer, a page after the other."""

    media_type: ClassVar[str]

    def __init__(self, columns: Columns) -> None:
        """Take the columns that every row has."""

    def head(self) -> bytes:
        """Return what comes before the rows."""

    def page(self, rows: Sequence[Row]) -> Written:
        """Return some rows."""

    def end(self, told: Mapping[str, object]) -> bytes:
        """Return what says that these were all, with what is told of them."""

    def broken(self, error: str, count: int) -> bytes | None:
        """Return what says that there is more; ``None``: only a cut connection can say it."""


class Ndjson:
    """A line of JSON for each row; the last says whether these were all."""

    media_type: ClassVar[str] = NDJSON

    def __init__(self, _columns: Columns) -> None:
        """See ``Form``: each line names its columns."""

    def head(self) -> bytes:
        """See ``Form.head``."""
        return b""

    def page(self, rows: Sequence[Row]) -> Written:
        """See ``Form.page``."""
        body = io.BytesIO()
        for row in rows:  # one at a time: what orjson returns has up to 15 times the room it needs
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
        """See ``Form.broken``: a line of words would be one more row."""


def _line(told: Mapping[str, object]) -> bytes:
    return orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE)
