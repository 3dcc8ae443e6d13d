"""The parameter ``fields``: selects columns by name, or by the name of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.api.rows.columns import Sort
from spanloom.core.query.where.problems import InvalidTextError, WhereProblem, pieces_of
from spanloom.core.records.run import RUN
from spanloom.core.records.step import STEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.api.rows.columns import Columns
    from spanloom.core.query.where.problems import Piece

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
    """Return the selected columns, each once; without text all except those on request.

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
    wanted = dict.fromkeys(column for name in names for column in known[name.text])
    return {column: every[column] for column in wanted}


def _problem(name: Piece, known: Sequence[str]) -> WhereProblem:
    return name.wrong(f"no column or group {name.text!r}", known)


def _nothing(text: str, known: Iterable[str]) -> WhereProblem:
    return WhereProblem(0, len(text), "it names no column", (), tuple(known))
