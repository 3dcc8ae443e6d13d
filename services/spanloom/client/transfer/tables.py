"""Exports as Parquet or Arrow tables: the columns of the list, then the document.

An import reads only the documents, because the service computes the list's columns from them again.
Tables of other systems have one column for each member, and each row is read as an object.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

import orjson

from spanloom.client.errors import NotInstalledError
from spanloom.client.frames.columns import Columns
from spanloom.client.transfer.parts import UnreadableFileError
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
"""Approximate bytes of documents in a row group, which is held in memory."""
DOCUMENT = "document"
ROWS_HELD = 16
"""Rows held in memory while reading, because a document may have megabytes."""


def write_parquet(lines: IO[bytes]) -> Path:
    """Write a Parquet file next to the file of lines and return its path."""
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
        columns.take()
    schema = arrow.make(columns.take()).schema.append(pa.field(DOCUMENT, pa.large_string()))
    with open_file(path, schema) as writer:
        for rows, documents in _groups(lines):
            columns.add(rows)
            table = arrow.make(columns.take())
            writer.write_table(
                table.append_column(schema.field(DOCUMENT), pa.array(documents, pa.large_string()))
            )
    return path


def read_parquet(path: Path) -> Iterator[tuple[int, bytes, float]]:
    """Yield the documents of a table, each with its row number and the fraction read so far.

    Raises ``UnreadableFileError`` where the table is incomplete.
    """
    return _documents(_parquet_pieces(path))


def read_arrow(path: Path) -> Iterator[tuple[int, bytes, float]]:
    """Yield the documents of an Arrow file like ``read_parquet``."""
    return _documents(_arrow_pieces(path))


def _documents(pieces: Iterator[tuple[int, pa.Array]]) -> Iterator[tuple[int, bytes, float]]:
    try:
        number = 0
        for count, documents in pieces:
            for document in documents.to_pylist():
                number += 1
                yield number, _json(document), number / count
    except (pa.ArrowException, KeyError, ValueError, OSError) as error:
        raise UnreadableFileError(f"it is no whole table: {error}") from error


def _json(value: object) -> bytes:
    """Return a document unchanged, or the cells of a row as a JSON object.

    Return ``b""`` if the cells cannot be JSON.
    """
    if not isinstance(value, dict):
        return str(value or "").encode()
    try:
        return orjson.dumps(value, default=str)
    except orjson.JSONEncodeError:
        return b""


def _parquet_pieces(path: Path) -> Iterator[tuple[int, pa.Array]]:
    """Yield the number of rows in the file, and a batch of documents (of rows if it has none)."""
    with ParquetFile(path) as table:
        has_documents = DOCUMENT in table.schema_arrow.names
        for batch in table.iter_batches(ROWS_HELD, columns=[DOCUMENT] if has_documents else None):
            yield table.metadata.num_rows, _column(batch)


def _arrow_pieces(path: Path) -> Iterator[tuple[int, pa.Array]]:
    """Yield batches like ``_parquet_pieces``; the mapped file is read as needed."""
    with pa.memory_map(str(path)) as file, ipc.open_file(file) as table:
        for number in range(table.num_record_batches):
            batch = table.get_batch(number)
            for start in range(0, batch.num_rows, ROWS_HELD):
                yield table.count_rows(), _column(batch.slice(start, ROWS_HELD))


def _column(batch: pa.RecordBatch) -> pa.Array:
    return batch.column(DOCUMENT) if DOCUMENT in batch.schema.names else batch.to_struct_array()


def write_rows(lines: IO[bytes]) -> Path:
    """Write lines, each an object, to a Parquet file next to their file, and return its path.

    A member is a column of numbers or booleans if it has no other values, otherwise of texts:
    strings unchanged, and other values as JSON.
    """
    path = Path(f"{lines.name}.whole")
    kinds: dict[str, set[type]] = {}
    for row in _rows(lines):
        for name, value in row.items():
            kinds.setdefault(name, set()).add(type(value))
    schema = pa.schema([(name, _type_of(found)) for name, found in kinds.items()])
    with ParquetWriter(path, schema, compression="zstd") as writer:
        held: list[Row] = []
        size = 0
        for row in _rows(lines):
            held.append({f.name: _cell(row.get(f.name), f.type) for f in schema})
            size += sum(len(v) for v in held[-1].values() if isinstance(v, str))
            if size >= GROUP_BYTES:
                writer.write_table(pa.Table.from_pylist(held, schema))
                held, size = [], 0
        if held:
            writer.write_table(pa.Table.from_pylist(held, schema))
    return path


def _rows(lines: IO[bytes]) -> Iterator[Row]:
    lines.seek(0)
    while line := lines.readline():
        yield orjson.loads(line)


def _type_of(found: set[type]) -> pa.DataType:
    types = frozenset(found - {type(None)})
    return _TYPES.get(types, pa.large_string())


_TYPES = {
    frozenset({bool}): pa.bool_(),
    frozenset({int}): pa.int64(),
    frozenset({float}): pa.float64(),
    frozenset({int, float}): pa.float64(),
}


def _cell(value: object, of: pa.DataType) -> object:
    if value is None or isinstance(value, str) or of != pa.large_string():
        return value
    return orjson.dumps(value).decode()


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
