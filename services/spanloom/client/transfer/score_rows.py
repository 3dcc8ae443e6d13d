"""Yields the rows of scores in a service, and of scores in files of JSON lines or Parquet."""

from __future__ import annotations

from datetime import datetime
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.client.calls.scores import score_page
from spanloom.client.errors import ClientError, NotInstalledError
from spanloom.client.transfer.parts import why
from spanloom.core.exchange.values import THE_FILE, UTF_16, is_wide

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from spanloom.client.client import Client

    Row = Mapping[str, Any]  # a score as ``GET /v1/scores`` returns it

AT_ONCE = 500
"""Scores per request, and rows of a table that are read at once."""
LONGEST_LINE = 8 << 20
_PARQUET = b"PAR1"


class PlacedRow(NamedTuple):
    """A row with its position in its file; without a row, the reason why it cannot be read."""

    place: str
    row: Row | None
    reason: str = ""


def list_all(client: Client, **filters: Any) -> Iterator[Row]:
    """Yield the current scores of a query, page by page."""
    cursor: str | None = None
    while True:
        page = client.ask(score_page(**filters, cursor=cursor))
        yield from page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return


def read_rows(path: Path) -> Iterator[PlacedRow]:
    """Yield the rows of JSON lines or Parquet; if reading fails, the last row has the reason."""
    place = ""
    try:
        for placed in _rows_of(path):
            place = placed.place
            yield placed
    except (OSError, ClientError) as error:
        fault = why(error)
    else:
        return
    yield PlacedRow(f"after {place}" if place else THE_FILE, None, fault)


def _rows_of(path: Path) -> Iterator[PlacedRow]:
    with path.open("rb") as file:
        head = file.read(len(_PARQUET))
    if is_wide(head):
        raise ClientError(UTF_16)
    if head == _PARQUET:
        yield from _read_table(path)
        return
    with path.open("rb") as file:
        yield from read_lines(file)


def read_lines(file: IO[bytes]) -> Iterator[PlacedRow]:
    """Yield the rows in JSON lines, and invalid rows with the reason; raises ``OSError``."""
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        place = f"line {number}"
        if len(line) > LONGEST_LINE:
            yield PlacedRow(place, None, f"longer than {LONGEST_LINE:,} bytes")
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
        elif line.strip() and (placed := _read_line(place, line)) is not None:
            yield placed


def _read_line(place: str, line: bytes) -> PlacedRow | None:
    """Return the row of a line; ``None`` for the line that marks the end of an export."""
    try:
        row = orjson.loads(line)
    except ValueError:
        return PlacedRow(place, None, "it is no JSON")
    if not isinstance(row, dict):
        return PlacedRow(place, None, "it is no object")
    if "end" in row and "name" not in row:
        return None if row["end"] else PlacedRow(place, None, "the export ends here unexpectedly")
    return PlacedRow(place, row)


def _read_table(path: Path) -> Iterator[PlacedRow]:
    try:
        import pyarrow as pa  # noqa: PLC0415  # an extra of the package
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415
    except ImportError as error:
        raise NotInstalledError(
            f"{error.name} is not installed; pip install 'spanloom[arrow]'"
        ) from error
    try:
        number = 0
        with ParquetFile(path) as table:
            for batch in table.iter_batches(AT_ONCE):
                for row in batch.to_pylist():
                    number += 1
                    yield _of_table(f"row {number}", row)
    except (pa.ArrowException, ValueError, OSError) as error:
        raise ClientError(f"it is no whole table: {error}") from error


def _of_table(place: str, row: dict[str, Any]) -> PlacedRow:
    """Return a row of a table; columns that hold values of several types contain JSON texts."""
    try:
        for name in ("value", "evidence", "metrics"):
            if isinstance(row.get(name), str):
                row[name] = orjson.loads(row[name])
    except ValueError:
        return PlacedRow(place, None, "a value is no JSON")
    if isinstance(at := row.get("at"), datetime):
        row["at"] = round(at.timestamp() * 1000)
    return PlacedRow(place, row)
