"""Converts rows of MLflow 3 evaluation sets to items: ``inputs`` and ``expectations``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.readers import an_object
from spanloom.datasets.foreign.row import Draft, is_present, key_of, others
from spanloom.evaluation.subject.expectations import expected_in

if TYPE_CHECKING:
    from spanloom.datasets.foreign.row import Items

_INPUTS, _EXPECTED, _ID, _TRACE = "inputs", "expectations", "dataset_record_id", "trace"
_MARKS = frozenset({_EXPECTED, _ID, _TRACE})


def fits(value: Any) -> bool:  # any JSON value
    """Return whether a value is a row of an MLflow evaluation set."""
    return isinstance(value, dict) and _INPUTS in value and not _MARKS.isdisjoint(value)


def read(value: Any) -> Items:  # any JSON value
    """Yield the item for a row."""
    row = an_object(value, "the row")
    if not is_present(row.get(_INPUTS)):
        raise InvalidRequestError(f"{_INPUTS}: it is missing")
    expectations = an_object(row.get(_EXPECTED) or {}, _EXPECTED)
    metadata = others(row, {_INPUTS, _EXPECTED, _ID, _TRACE})
    draft = Draft(
        key_of(row, _ID), row[_INPUTS], expected_in(expectations, f"{_EXPECTED}."), metadata
    )
    yield draft.item([_TRACE] if is_present(row.get(_TRACE)) else [])
