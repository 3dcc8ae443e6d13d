"""Writes rows as Arrow and Parquet with PyArrow, which is imported at the first request for them.

::

    started_at      "1715400000000"           started_at            1715400000000000000
    step_counts     {"model": 2, "tool": 1}   step_counts.model     2, and so on
    last_run        {"status": "settled"}     last_run.status       "settled"

A page becomes one record batch or row group and is sent at once. Column types are those of
``schema_of``; each count becomes a separate column, ``step_counts.model``, and so does each field
of a nested row, ``last_run.status``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import orjson

from spanloom.api.rows.columns import COUNTED, Sort
from spanloom.api.rows.forms import Drain, WrittenPage
from spanloom.core.formats.entry import ARROW, PARQUET

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from spanloom.api.rows.columns import Columns
    from spanloom.api.rows.forms import Row


_NS_PER_MS = 1_000_000


class FlatColumn(NamedTuple):
    """A column of scalar values, or of lists."""

    name: str
    sort: Sort
    values: Callable[[Sequence[Row]], Iterable[Any]]
    """Returns the values of some rows, as in JSON."""

    def read(self, rows: Sequence[Row]) -> Sequence[Any]:
        """Return the values of some rows in the type of the column: times in nanoseconds."""
        return _READERS[self.sort](self.values(rows))


def lay_flat(columns: Columns) -> Iterator[FlatColumn]:
    """Yield the columns with nested columns flattened: their names are joined by dots."""
    for name, sort in columns.items():
        if sort is Sort.COUNTS:
            for kind in COUNTED:
                yield FlatColumn(f"{name}.{kind}", Sort.WHOLE, _counts(name, kind))
        elif isinstance(sort, Sort):
            yield FlatColumn(name, sort, _values(name))
        else:
            for inner in lay_flat(sort):
                values = _inside(name, inner.values)
                yield FlatColumn(f"{name}.{inner.name}", inner.sort, values)


def _values(name: str) -> Callable[[Sequence[Row]], Iterable[Any]]:
    return lambda rows: [row[name] for row in rows]


def _counts(name: str, kind: str) -> Callable[[Sequence[Row]], Iterable[Any]]:
    return lambda rows: [row[name].get(kind, 0) for row in rows]


def _inside(
    name: str, values: Callable[[Sequence[Row]], Iterable[Any]]
) -> Callable[[Sequence[Row]], Iterable[Any]]:
    return lambda rows: values([row[name] for row in rows])


def _lengths(texts: Iterable[str | None]) -> Sequence[int | None]:
    return [None if text is None else int(text) for text in texts]


def _moments(texts: Iterable[str | None]) -> Sequence[int | None]:
    """Parse times as ns since the epoch, which fit in 64 bits until the year 2262."""
    return [None if text is None else int(text) * _NS_PER_MS for text in texts]


def _json_texts(values: Iterable[object]) -> Sequence[str | None]:
    return [None if value is None else orjson.dumps(value).decode() for value in values]


_READERS: Mapping[Sort, Callable[[Iterable[Any]], Sequence[Any]]] = {
    **dict.fromkeys(Sort, list),
    Sort.LENGTH: _lengths,
    Sort.MOMENT: _moments,
    Sort.JSON: _json_texts,
}


_MOST = 2**63 - 1


class _Columnar:
    """Common base of Arrow and Parquet."""

    def __init__(self, columns: Columns) -> None:
        """Open the writer for these columns; their types never depend on the rows."""
        self._flat = list(lay_flat(columns))
        self._schema = schema_of(columns)
        self._drain = Drain()
        self._writer = self._opened()

    def _opened(self) -> Any:  # PyArrow's writers have no common type
        raise NotImplementedError

    def head(self) -> bytes:
        """See ``Form.head``."""
        return self._drain.drained()

    def page(self, rows: Sequence[Row]) -> WrittenPage:
        """See ``Form.page``."""
        import pyarrow as pa  # noqa: PLC0415  # 45 MB, only if requested

        arrays = [
            _array(flat.read(rows), field.type)
            for flat, field in zip(self._flat, self._schema, strict=True)
        ]
        batch = pa.record_batch(arrays, schema=self._schema)
        self._writer.write_batch(batch)
        return WrittenPage(self._drain.drained(), batch.nbytes)

    def end(self, _members: Mapping[str, object]) -> bytes:
        """See ``Form.end``."""
        self._writer.close()
        return self._drain.drained()

    def broken(self, _error: str, _count: int) -> None:
        """See ``Form.broken``; neither format can mark an incomplete response."""


class ArrowStream(_Columnar):
    """The streaming format of Arrow's IPC: a record batch for each page."""

    media_type: ClassVar[str] = ARROW

    def _opened(self) -> Any:  # as in ``_Columnar``
        from pyarrow import ipc  # noqa: PLC0415  # as above

        return ipc.new_stream(self._drain, self._schema)


class Parquet(_Columnar):
    """A Parquet file, compressed by zstd: a row group for each page."""

    media_type: ClassVar[str] = PARQUET

    def _opened(self) -> Any:  # as in ``_Columnar``
        from pyarrow.parquet import ParquetWriter  # noqa: PLC0415  # as above

        return ParquetWriter(self._drain, self._schema, compression="zstd")


def schema_of(columns: Columns) -> pa.Schema:
    """Return the Arrow schema of rows with these columns."""
    import pyarrow as pa  # noqa: PLC0415  # as above

    types = {
        Sort.TEXT: pa.string(),
        Sort.WHOLE: pa.int64(),
        Sort.REAL: pa.float64(),
        Sort.TRUTH: pa.bool_(),
        Sort.TEXTS: pa.list_(pa.string()),
        Sort.MOMENT: pa.timestamp("ns", tz="UTC"),
        Sort.LENGTH: pa.int64(),
        Sort.PAIRS: pa.list_(pa.list_(pa.int64())),
        Sort.JSON: pa.string(),
    }
    return pa.schema([(flat.name, types[flat.sort]) for flat in lay_flat(columns)])


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return values as an Arrow array; a number that exceeds 64 bits becomes null."""
    import pyarrow as pa  # noqa: PLC0415  # as above

    try:
        return pa.array(values, kind)
    except (OverflowError, pa.ArrowInvalid):
        return pa.array([v if v is None or abs(v) <= _MOST else None for v in values], kind)
