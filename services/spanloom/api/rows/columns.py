"""Columns of rows: types from the pydantic model of a row, and the selection by ``fields``.

::

    started_at      moment    "1715400000000"
    duration        length    "350"
    step_counts     counts    {"model": 2, "tool": 1}
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_origin

from spanloom.core.model.trajectory import Kind
from spanloom.core.query.where.problems import InvalidTextError, WhereProblem, pieces_of
from spanloom.core.records.record import bare_type, is_record, timed_of
from spanloom.core.records.run import RUN
from spanloom.core.records.step import STEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from spanloom.core.query.where.problems import Piece


COUNTED = tuple(kind.value for kind in Kind)
"""The keys of a ``COUNTS`` value: all step types."""


class Sort(Enum):
    """The type of a column; members whose values in JSON need an explanation have a docstring."""

    TEXT = "text"
    WHOLE = "whole"
    REAL = "real"
    TRUTH = "truth"
    TEXTS = "texts"
    MOMENT = "moment"
    """A time; in JSON: milliseconds since the epoch, as a string."""
    LENGTH = "length"
    """A duration; in JSON: milliseconds, as a string."""
    COUNTS = "counts"
    """An object with a count for each step type (``COUNTED``)."""
    PAIRS = "pairs"
    """Pairs of whole numbers: ``[[0, 6], [9, 12]]``."""
    JSON = "json"
    """Any JSON value; typed formats hold it as text."""


Columns: TypeAlias = "Mapping[str, Sort | Columns]"
"""The columns of a response, in order; for a nested row, the columns of that row."""


def columns_of(model: type[BaseModel]) -> Columns:
    """Return the columns of a row model."""
    return {name: _sort_of(field) for name, field in model.model_fields.items()}


def _sort_of(field: FieldInfo) -> Sort | Columns:
    timed = timed_of(field)
    return Sort(timed.value) if timed else _sort_of_type(bare_type(field.annotation)[0])


def _sort_of_type(kind: Any) -> Sort | Columns:  # a type
    if is_record(kind):
        return columns_of(kind)
    if get_origin(kind) is Literal or (isinstance(kind, type) and issubclass(kind, Enum)):
        return Sort.TEXT
    return _SORTS.get(kind, Sort.JSON)


_SORTS: Mapping[Any, Sort] = {
    str: Sort.TEXT,
    int: Sort.WHOLE,
    float: Sort.REAL,
    bool: Sort.TRUTH,
    list[str]: Sort.TEXTS,
    dict[str, int]: Sort.COUNTS,
    list[tuple[int, int]]: Sort.PAIRS,
}


RUN_GROUPS: Mapping[str, Sequence[str]] = RUN.groups
STEP_GROUPS: Mapping[str, Sequence[str]] = STEP.groups
NO_COLUMNS: Columns = {}
DOCUMENT_COLUMNS: Columns = {"document": Sort.JSON, "steps": Sort.JSON}
"""Columns of runs that are read from their documents, and returned only on request."""


def read_fields(
    text: str | None,
    columns: Columns,
    groups: Mapping[str, Sequence[str]],
    on_request: Columns = NO_COLUMNS,
) -> Columns:
    """Return the selected columns, each once; without text all columns except ``on_request``.

    ``core,cost`` selects the columns of the group ``core``, then ``cost``. Raises
    ``InvalidTextError`` with every unknown name.
    """
    if text is None:
        return columns
    every = {**columns, **on_request}
    known = {**{name: (name,) for name in every}, **groups}
    names = [piece for piece in pieces_of(text) if piece.text]
    problems = [_problem(name, list(known)) for name in names if name.text not in known]
    if problems or not names:
        raise InvalidTextError(text, problems or [_nothing(text, known)], "fields")
    selected = dict.fromkeys(column for name in names for column in known[name.text])
    return {column: every[column] for column in selected}


def _problem(name: Piece, known: Sequence[str]) -> WhereProblem:
    return name.wrong(f"no column or group {name.text!r}", known)


def _nothing(text: str, known: Iterable[str]) -> WhereProblem:
    return WhereProblem(0, len(text), "it names no column", (), tuple(known))
