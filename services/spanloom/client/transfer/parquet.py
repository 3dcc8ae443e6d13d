"""A Parquet file of the lines of an export: what the list says of a run, then its document.

Read back are the documents: the list's columns are made of them again.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

import orjson

from spanloom.client.errors import ClientError, NotInstalledError
from spanloom.client.frames.columns import Columns
from spanloom.client.models import TrajectorySummary

try:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile, ParquetWriter

    from spanloom.client.frames import arrow
except ImportError as error:
    raise NotInstalledError(
        f"{error.name} is not installed; pip install 'spanloom[arrow]'"
    ) from error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.client.calls.walks import Row

GROUP_BYTES = 4 * 1024 * 1024
"""Of documents in a row group; so much is held."""
DOCUMENT = "document"
ROWS_HELD = 16
"""Of a file that is read: a document may have megabytes."""


class UnreadableTableError(ClientError):
    """A file is no Parquet, or has no documents."""


def write_table(lines: IO[bytes]) -> Path:
    """Write a file beside the one of the lines and return where it is."""
    path = Path(f"{lines.name}.whole")
    columns = Columns(TrajectorySummary)
    for rows, _ in _groups(lines):  # first which columns there are: a file has one schema
        columns.add(rows)
        columns.taken()
    schema = arrow.make(columns.taken()).schema.append(pa.field(DOCUMENT, pa.large_string()))
    with ParquetWriter(path, schema, compression="zstd") as writer:
        for rows, documents in _groups(lines):
            columns.add(rows)
            table = arrow.make(columns.taken())
            writer.write_table(
                table.append_column(schema.field(DOCUMENT), pa.array(documents, pa.large_string()))
            )
    return path


def read_documents(path: Path) -> Iterator[tuple[int, bytes, float]]:
    """Yield the documents of a table, each with the number of its row and the share read by then.

    Raises ``UnreadableTableError`` for what is no table of documents.
    """
    try:
        with ParquetFile(path) as table:
            count, number = max(1, table.metadata.num_rows), 0
            for batch in table.iter_batches(ROWS_HELD, columns=[DOCUMENT]):
                for document in batch.column(DOCUMENT).to_pylist():
                    number += 1
                    yield number, str(document or "").encode(), number / count
    except (pa.ArrowException, KeyError, OSError) as error:
        raise UnreadableTableError(
            f"{path}: no table with a column `{DOCUMENT}`: {error}"
        ) from error


def _groups(lines: IO[bytes]) -> Iterator[tuple[Sequence[Row], Sequence[str]]]:
    rows: list[Row] = []
    documents: list[str] = []
    size = 0
    lines.seek(0)
    while row := lines.readline():
        document = lines.readline()
        rows.append(orjson.loads(row))
        documents.append(document.removesuffix(b"\n").decode())
        size += len(document)
        if size >= GROUP_BYTES:
            yield rows, documents
            rows, documents, size = [], [], 0
    if rows:
        yield rows, documents
