"""The formats for rows: a writer for each, and the choice of a writer by ``Accept``."""

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


class WrittenPage(NamedTuple):
    """A page of rows as written by a ``Form``."""

    body: bytes
    weight: int
    """The size of the page in memory, in bytes; it decides the number of rows of the next page."""


class Drain(io.RawIOBase):
    """A file in memory that is emptied by ``drained``."""

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self._pieces: list[bytes] = []
        self._size = 0
        self.held = 0
        """Bytes written since the last call of ``drained``."""

    def writable(self) -> bool:
        """See ``io.IOBase``."""
        return True

    def write(self, piece: Any) -> int:  # any bytes-like object
        """See ``io.RawIOBase``."""
        data = bytes(piece)
        self._pieces.append(data)
        self._size += len(data)
        self.held += len(data)
        return len(data)

    def tell(self) -> int:
        """Return the number of bytes written so far, drained or not; footers hold offsets."""
        return self._size

    def drained(self) -> bytes:
        """Return the bytes written since the last call."""
        body = b"".join(self._pieces)
        self._pieces.clear()
        self.held = 0
        return body


class Form(Protocol):
    """Writes the rows of one response page by page."""

    media_type: ClassVar[str]

    def __init__(self, columns: Columns) -> None:
        """Start a response whose rows have these columns."""

    def head(self) -> bytes:
        """Return the bytes before the rows."""

    def page(self, rows: Sequence[Row]) -> WrittenPage:
        """Return a page of rows in the format."""

    def end(self, members: Mapping[str, object]) -> bytes:
        """Return the bytes that end a complete response; NDJSON adds ``members`` there."""

    def broken(self, error: str, count: int) -> bytes | None:
        """Return the bytes that mark the response as incomplete after ``count`` rows.

        ``None`` if the format cannot mark that, so that the connection has to be cut.
        """


class Ndjson:
    """A line of JSON for each row; the last line states whether the response is complete."""

    media_type: ClassVar[str] = NDJSON

    def __init__(self, _columns: Columns) -> None:
        """See ``Form``; the columns are not needed, since each line names its own."""

    def head(self) -> bytes:
        """See ``Form.head``."""
        return b""

    def page(self, rows: Sequence[Row]) -> WrittenPage:
        """See ``Form.page``."""
        body = io.BytesIO()
        for row in rows:  # one at a time: orjson's results take up to 15 times their size
            body.write(_line(row))
        return WrittenPage(body.getvalue(), body.tell())

    def end(self, members: Mapping[str, object]) -> bytes:
        """See ``Form.end``."""
        return _line({"end": True, **members})

    def broken(self, error: str, count: int) -> bytes:
        """See ``Form.broken``."""
        return _line({"error": error, "count": count})


class Csv:
    """CSV by RFC 4180 with a header, in UTF-8: null is empty, lists and objects are JSON."""

    media_type: ClassVar[str] = CSV

    def __init__(self, columns: Columns) -> None:
        """See ``Form``."""
        self._names = list(columns)

    def head(self) -> bytes:
        """See ``Form.head``."""
        return csv_lines([self._names]).encode()

    def page(self, rows: Sequence[Row]) -> WrittenPage:
        """See ``Form.page``."""
        body = csv_lines([row.get(name) for name in self._names] for row in rows).encode()
        return WrittenPage(body, len(body))

    def end(self, _told: Mapping[str, object]) -> bytes:
        """See ``Form.end``."""
        return b""

    def broken(self, _error: str, _count: int) -> None:
        """See ``Form.broken``; a line with an error would be parsed as a row."""


def _line(members: Mapping[str, object]) -> bytes:
    return orjson.dumps(members, option=orjson.OPT_APPEND_NEWLINE)


_FORMS = list(formats_of(Of.ROWS, Via.ACCEPT).values())
_NOT_INSTALLED = (
    "; Arrow and Parquet need PyArrow in the service's environment: pip install 'spanloom[arrow]'"
)


def form_for(accept: str) -> type[Form] | None:
    """Return the writer of the format that a header prefers; ``None`` is JSON.

    Among equal weights the format named first wins; JSON wins remaining ties. Raises
    ``NotAcceptableError`` if the header allows none.
    """
    available = _available()
    more = "" if len(available) > len(_FORMS) else _NOT_INSTALLED
    chosen = available[preferred(accept, available, more)]
    if chosen is None:
        return None
    form: type[Form] = chosen.load_writer()
    return form


def _available() -> Mapping[str, Format | None]:
    """Return the formats whose libraries are installed, by media type; JSON first."""
    installed = {form.media_type: form for form in _FORMS if form.is_installed}
    return {JSON: None, **installed}
