"""Exports as Parquet or Arrow tables: the columns of the list, then the document.

Reading returns only the documents: the service derives the list's columns from them again.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

import orjson

from spanloom.client.errors import ClientError, NotInstalledError
from spanloom.client.frames.columns import Columns
from spanloom.core.records.run import Run

try:
    import pyarrow as pa
    from pyarrow import ipc
    from pyarrow.parquet import ParquetFile, ParquetWriter

    from spanloom.client.frames import arrow
except ImportError as error:
    raise NotInstalledError(
        f"{error.name} is not installed; pip install 'spanloom[arrow]'"
    ) from error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.client.calls.walks import Row

GROUP_BYTES = 4 * 1024 * 1024
"""Bytes of documents in a row group, which is held in memory."""
DOCUMENT = "document"
ROWS_HELD = 16
"""Rows held in memory while reading: a document may have megabytes."""


class UnreadableTableError(ClientError):
    """A file is neither Parquet nor Arrow, or has no documents."""


def write_parquet(lines: IO[bytes]) -> Path:
    """Write a Parquet file next to the one of the lines and return its path."""
    return _write(lines, lambda path, schema: ParquetWriter(path, schema, compression="zstd"))


def write_arrow(lines: IO[bytes]) -> Path:
    """Write an Arrow file, uncompressed so that it can be memory-mapped, and return its path."""
    return _write(lines, lambda path, schema: ipc.new_file(str(path), schema))


def _write(
    lines: IO[bytes],
    open_file: Callable[[Path, pa.Schema], ParquetWriter | ipc.RecordBatchFileWriter],
) -> Path:
    path = Path(f"{lines.name}.whole")
    columns = Columns(Run)
    for rows, _ in _groups(lines):  # collect the columns first: a file has one schema
        columns.add(rows)
        columns.taken()
    schema = arrow.make(columns.taken()).schema.append(pa.field(DOCUMENT, pa.large_string()))
    with open_file(path, schema) as writer:
        for rows, documents in _groups(lines):
            columns.add(rows)
            table = arrow.make(columns.taken())
            writer.write_table(
                table.append_column(schema.field(DOCUMENT), pa.array(documents, pa.large_string()))
            )
    return path


def read_parquet(path: Path) -> Iterator[tuple[int, bytes, float]]:
    """Yield the documents of a table, each with the number of its row and the share read by then.

    Raises ``UnreadableTableError`` if the file is not a table of documents.
    """
    return _documents(path, _parquet_pieces(path))


def read_arrow(path: Path) -> Iterator[tuple[int, bytes, float]]:
    """Do the same for an Arrow file."""
    return _documents(path, _arrow_pieces(path))


def _documents(
    path: Path, pieces: Iterator[tuple[int, pa.Array]]
) -> Iterator[tuple[int, bytes, float]]:
    try:
        number = 0
        for count, documents in pieces:
            for document in documents.to_pylist():
                number += 1
                yield number, str(document or "").encode(), number / count
    except (pa.ArrowException, KeyError, OSError) as error:
        raise UnreadableTableError(
            f"{path}: no table with a column `{DOCUMENT}`: {error}"
        ) from error


def _parquet_pieces(path: Path) -> Iterator[tuple[int, pa.Array]]:
    """Yield batches of documents, each with the total number of documents."""
    with ParquetFile(path) as table:
        for batch in table.iter_batches(ROWS_HELD, columns=[DOCUMENT]):
            yield table.metadata.num_rows, batch.column(DOCUMENT)


def _arrow_pieces(path: Path) -> Iterator[tuple[int, pa.Array]]:
    """Do the same for Arrow; the mapped file is read as it is needed."""
    with pa.memory_map(str(path)) as file, ipc.open_file(file) as table:
        for number in range(table.num_record_batches):
            documents = table.get_batch(number).column(DOCUMENT)
            for start in range(0, len(documents), ROWS_HELD):
                yield table.count_rows(), documents.slice(start, ROWS_HELD)


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
