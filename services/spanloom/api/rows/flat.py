"""Rows laid flat: which columns of single values they make, and the values of each.

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
    """Returns what rows have in it, as JSON has it."""

    def read(self, rows: Sequence[Row]) -> Sequence[Any]:
        """Return what rows have in it, as columns with types have it: times are nanoseconds."""
        return _READERS[self.sort](self.values(rows))


def lay_flat(columns: Columns) -> Iterator[FlatColumn]:
    """Yield the columns that some columns make; their names have dots where these are nested."""
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
    """Return nanoseconds, which have room until the year 2262."""
    return [None if text is None else int(text) * _NS_PER_MS for text in texts]


def _json_texts(values: Iterable[object]) -> Sequence[str | None]:
    return [None if value is None else orjson.dumps(value).decode() for value in values]


_READERS: Mapping[Sort, Callable[[Iterable[Any]], Sequence[Any]]] = {
    **dict.fromkeys(Sort, list),
    Sort.LENGTH: _lengths,
    Sort.MOMENT: _moments,
    Sort.JSON: _json_texts,
}
