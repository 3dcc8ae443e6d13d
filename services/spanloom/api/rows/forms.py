"""Formats of rows: their writers, and the choice of one by ``Accept``."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import orjson

from spanloom.api.http.accept import preferred
from spanloom.core.formats.entry import CSV, JSON, NDJSON, Of, Via
from spanloom.core.formats.registry import formats_of
from spanloom.core.showing.csv_text import csv_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.api.rows.columns import Columns
    from spanloom.core.formats.entry import Format

    Row = Mapping[str, Any]  # as in JSON


class Written(NamedTuple):
    """A page of rows as written by a ``Form``."""

    body: bytes
    weight: int
    """Its size in memory, in bytes, by which the size of the next page is chosen."""


class Drain(io.RawIOBase):
    """A file in memory that is emptied by ``taken``."""

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self._pieces: list[bytes] = []
        self._size = 0
        self.held = 0
        """Bytes written since the last call of ``taken``."""

    def writable(self) -> bool:
        """See ``io.IOBase``."""
        return True

    def write(self, piece: Any) -> int:  # any bytes-like object
        """See ``io.RawIOBase``."""
        taken = bytes(piece)
        self._pieces.append(taken)
        self._size += len(taken)
        self.held += len(taken)
        return len(taken)

    def tell(self) -> int:
        """Return the bytes written so far, taken or not: a footer holds offsets of its parts."""
        return self._size

    def taken(self) -> bytes:
        """Return the bytes written since the last call."""
        body = b"".join(self._pieces)
        self._pieces.clear()
        self.held = 0
        return body


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


_FORMS = list(formats_of(Of.ROWS, Via.ACCEPT).values())
_NOT_INSTALLED = (
    "; Arrow and Parquet are there once PyArrow is installed beside the service: "
    "pip install 'spanloom[arrow]'"
)


def form_for(accept: str) -> type[Form] | None:
    """Return the writer of the format that a header prefers; ``None`` is JSON.

    Among equal weights the format named first wins; JSON wins remaining ties. Raises
    ``NotAcceptableError`` if the header allows none.
    """
    there_is = _available()
    more = "" if len(there_is) > len(_FORMS) else _NOT_INSTALLED
    chosen = there_is[preferred(accept, there_is, more)]
    if chosen is None:
        return None
    form: type[Form] = chosen.load_writer()
    return form


def _available() -> Mapping[str, Format | None]:
    """Return the formats whose libraries are installed, by media type; JSON first."""
    installed = {form.media_type: form for form in _FORMS if form.is_installed}
    return {JSON: None, **installed}
