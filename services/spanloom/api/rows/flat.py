"""Flattens rows into columns of single values, for formats with types.

::

    started_at      "1715400000000"           started_at            1715400000000000000
    step_counts     {"model": 2, "tool": 1}   step_counts.model     2, and so on
    last_run        {"status": "settled"}     last_run.status       "settled"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.api.rows.columns import COUNTED, Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from spanloom.api.rows.columns import Columns
    from spanloom.api.rows.forms import Row

_NS_PER_MS = 1_000_000


class FlatColumn(NamedTuple):
    """A column of single values."""

    name: str
    sort: Sort
    values: Callable[[Sequence[Row]], Iterable[Any]]
    """Returns the values of some rows, as in JSON."""

    def read(self, rows: Sequence[Row]) -> Sequence[Any]:
        """Return the values of some rows in the type of the column: times in nanoseconds."""
        return _READERS[self.sort](self.values(rows))


def lay_flat(columns: Columns) -> Iterator[FlatColumn]:
    """Yield flat columns for columns; names of nested ones are joined by dots."""
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
    """Return nanoseconds since the epoch, which fit in 64 bits until the year 2262."""
    return [None if text is None else int(text) * _NS_PER_MS for text in texts]


def _json_texts(values: Iterable[object]) -> Sequence[str | None]:
    return [None if value is None else orjson.dumps(value).decode() for value in values]


_READERS: Mapping[Sort, Callable[[Iterable[Any]], Sequence[Any]]] = {
    **dict.fromkeys(Sort, list),
    Sort.LENGTH: _lengths,
    Sort.MOMENT: _moments,
    Sort.JSON: _json_texts,
}
