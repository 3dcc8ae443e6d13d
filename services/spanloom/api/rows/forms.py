"""Forms of rows besides JSON: what stands before them, each page of them, and what ends them."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, Protocol

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Row = Mapping[str, Any]  # as JSON has it

NDJSON = "application/x-ndjson"
CSV = "text/csv"
_BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Form(Protocol):
    """Writes rows, a page after the other."""

    media_type: str

    def head(self, columns: Sequence[str]) -> bytes:
        """Return what comes before the rows."""

    def page(self, columns: Sequence[str], rows: Iterable[Row]) -> bytes:
        """Return some rows."""

    def end(self, told: Mapping[str, object]) -> bytes:
        """Return what says that these were all, with what is told of them."""

    def broken(self, error: str, count: int) -> bytes | None:
        """Return what says that there is more; ``None``: only a cut connection can say it."""


class Ndjson:
    """A line of JSON for each row; the last says whether these were all."""

    media_type = NDJSON

    def head(self, _columns: Sequence[str]) -> bytes:
        """See ``Form.head``."""
        return b""

    def page(self, _columns: Sequence[str], rows: Iterable[Row]) -> bytes:
        """See ``Form.page``."""
        return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)

    def end(self, told: Mapping[str, object]) -> bytes:
        """See ``Form.end``."""
        return orjson.dumps({"end": True, **told}, option=orjson.OPT_APPEND_NEWLINE)

    def broken(self, error: str, count: int) -> bytes:
        """See ``Form.broken``."""
        return orjson.dumps({"error": error, "count": count}, option=orjson.OPT_APPEND_NEWLINE)


class Csv:
    """RFC 4180 with a header, in UTF-8: null is empty, a list or an object is JSON."""

    media_type = CSV

    def head(self, columns: Sequence[str]) -> bytes:
        """See ``Form.head``."""
        return _lines([list(map(_harmless, columns))])

    def page(self, columns: Sequence[str], rows: Iterable[Row]) -> bytes:
        """See ``Form.page``."""
        return _lines([[_cell(row.get(name)) for name in columns] for row in rows])

    def end(self, _told: Mapping[str, object]) -> bytes:
        """See ``Form.end``."""
        return b""

    def broken(self, _error: str, _count: int) -> None:
        """See ``Form.broken``: a line of words would be one more row."""


FORMS: Mapping[str, Form] = {form.media_type: form for form in (Ndjson(), Csv())}


def accepted(accept: str) -> Form | None:
    """Return the form that a header asks for, of several the one it wants most; else JSON."""
    asked = sorted((_weight(part) for part in accept.split(",")), key=lambda a: -a[0])
    return next((FORMS[media] for weight, media in asked if media in FORMS and weight > 0), None)


def _weight(part: str) -> tuple[float, str]:
    media, *parameters = (piece.strip().lower() for piece in part.split(";"))
    weights = [p.removeprefix("q=") for p in parameters if p.startswith("q=")]
    try:
        return float(weights[0]) if weights else 1.0, media
    except ValueError:
        return 0.0, media


def _lines(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _harmless(value)
    return orjson.dumps(value).decode()  # a number, a truth, a list: never a formula


def _harmless(text: str) -> str:
    """Return a text that no spreadsheet runs: ``=1+1`` gets an apostrophe before it.

    So does ``'=1+1``, so that who takes one away again has the text as it was.
    """
    return f"'{text}" if text.lstrip("'").startswith(_BEGINS_A_FORMULA) else text
