"""Finds faults in a view's parameters: when it is stored, and later, as fields may be removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.notation import parse_ago, parse_instant
from spanloom.core.model.saved_view import FORMAT, ViewPage
from spanloom.core.query.selection import parse_order
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.parser import parse_steps_where, parse_where
from spanloom.core.query.where.problems import InvalidTextsError
from spanloom.core.records.saved_view import ViewFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.saved_view import SavedView


_ORDERED: Mapping[str, Subject] = {ViewPage.RUNS: Subject.RUN, ViewPage.STEPS: Subject.STEP}


def faults_of(view: SavedView, now_ns: int) -> Sequence[ViewFault]:
    """Return the faults of a view; empty if it can be used."""
    if view.is_newer:
        why = (
            f"a newer Spanloom stored it (format {view.format}, this one reads {FORMAT}): "
            "upgrade the service, or make another view"
        )
        return [ViewFault.made_of(None, parameter="format", detail=why)]
    return [
        ViewFault.made_of(None, parameter=name, detail=_detail(error))
        for name, error in _errors(view.page, view.parameters, now_ns)
    ]


def refuse_faults(page: str, parameters: Mapping[str, str], now_ns: int) -> None:
    """Raise ``InvalidQueryError`` for the first invalid parameter."""
    for _, error in _errors(page, parameters, now_ns):
        raise error


def _errors(
    page: str, parameters: Mapping[str, str], now_ns: int
) -> Iterator[tuple[str, InvalidQueryError]]:
    for name, text in parameters.items():
        try:
            _read(page, name, text, now_ns)
        except InvalidQueryError as error:
            error.parameter = name
            yield name, error


def _read(page: str, name: str, text: str, now_ns: int) -> None:
    """Raise ``InvalidQueryError`` for a parameter that the service refuses.

    Parameters that only the page reads, such as columns, are not checked.
    """
    is_of_runs = page in (ViewPage.RUNS, ViewPage.OVERVIEW)
    if name == "run_where" or (name == "where" and is_of_runs):
        parse_where(text, now_ns)
    elif name == "where" and page == ViewPage.STEPS:
        parse_steps_where(text, now_ns)
    elif name == "order" and page in _ORDERED:
        parse_order(text, _ORDERED[page])
    elif name in ("since", "until"):
        _read_time(name, text, now_ns)


def _read_time(name: str, text: str, now_ns: int) -> None:
    try:
        if parse_ago(text, now_ns) is None:
            parse_instant(text)
    except ValueError as error:
        raise InvalidQueryError(str(error), name) from error


def _detail(error: InvalidQueryError) -> str:
    return str(error.args[0]) if isinstance(error, InvalidTextsError) else error.detail
