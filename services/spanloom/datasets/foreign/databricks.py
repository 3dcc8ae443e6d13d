"""Converts rows of Databricks' Agent Evaluation to items: request and expectations.

The response of the application is not an expectation, so it becomes metadata. A ``trace`` is left
out, because ``spanloom import`` reads the runs in files with traces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.databricks import ROWS, rows_in
from spanloom.core.formats.readers import Located, an_object
from spanloom.datasets.foreign.row import Draft, each_alone, is_present, key_of, others
from spanloom.evaluation.subject.expectations import EXPECTED, expected_in

if TYPE_CHECKING:
    from spanloom.datasets.foreign.row import Items

_TRACE = "trace"
_OWN = {"request_id", "request", _TRACE, *EXPECTED}

fits = ROWS.fits


def read(value: Any) -> Items:  # any JSON value
    """Yield an item for a row, or the items for a table given as an object of columns."""
    return each_alone(rows_in(Located("", value)), _read_row)


def _read_row(located: Located) -> Items:
    row = an_object(located.value, "the row")
    if not is_present(row.get("request")):
        raise InvalidRequestError(f"{located.place} request: it is missing".lstrip(": "))
    expectations = {name: row[name] for name in EXPECTED if name in row}
    draft = Draft(
        key_of(row, "request_id"), row["request"], expected_in(expectations), others(row, _OWN)
    )
    yield draft.item([_TRACE] if is_present(row.get(_TRACE)) else [])
