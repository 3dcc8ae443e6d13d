"""Rows in evaluation sets of MLflow 3: ``inputs``, ``outputs``, ``expectations``, ``trace``.

``mlflow.genai.evaluate`` accepts them. A row with ``trace`` or ``outputs`` is read as a run; a row
with neither is an item that has not run yet, and is rejected. Rows returned by ``search_traces``
have a ``trace`` too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import complete
from spanloom.core.exchange.mlflow import names
from spanloom.core.exchange.mlflow.reader import draft_of, is_trace
from spanloom.core.exchange.mlflow.rows import (
    ITEM,
    bare_run,
    expectations_of,
    is_given,
    note_others,
    text_in,
)
from spanloom.core.exchange.mlflow.values import encoded, parsed
from spanloom.core.exchange.mlflow.writer import trace_of
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.readers import EachAlone, an_object
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.readers import Reading
    from spanloom.core.formats.stored import Stored

_KNOWN = frozenset({"inputs", "outputs", "expectations", "trace"})
_OF_SETS = _KNOWN | {"tags", "source", "dataset_record_id", "create_time", "last_update_time"}
"""Columns in MLflow's evaluation sets; a row with other columns is from another system."""
_OF_SEARCHES = frozenset({"trace_id", "spans", "state", "assessments"})


def write_row(stored: Stored, losses: Losses) -> bytes:
    """Return a run as a row; every run can be written as one."""
    trace = trace_of(stored, losses)
    attributes = trace["data"]["spans"][0]["attributes"]
    row: Json = {
        "inputs": _inputs(json_value(attributes[names.INPUTS])),
        "outputs": json_value(attributes[names.OUTPUTS]),
    }
    if expected := expectations_of(stored.view):
        row["expectations"] = expected
    return dump({**row, "trace": dump(trace).decode()})


def _inputs(value: object) -> Json:
    """Return the inputs as an object, which MLflow requires; a text becomes messages."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        return {"messages": value}
    text = value if isinstance(value, str) else dump(value).decode()
    return {"messages": [{"role": "user", "content": text}]}


def _fits(value: Any) -> bool:  # any JSON value
    if not isinstance(value, dict) or is_trace(value):
        return False
    if is_given(value.get("trace")):
        return "request" not in value or not _OF_SEARCHES.isdisjoint(value)
    return isinstance(value.get("inputs"), dict) and value.keys() <= _OF_SETS


def _read_row(value: Any, reading: Reading) -> Iterable[Json]:  # any JSON value
    row = an_object(value, "row")
    given = row.get("expectations")
    expected = an_object(given, "expectations") if is_given(given) else {}
    if is_given(trace := row.get("trace")):
        yield complete(draft_of(parsed(trace, "trace"), reading, "trace.", expected))
        return
    note_others(row, _KNOWN, reading)
    inputs = an_object(row.get("inputs"), "inputs")
    if not is_given(outputs := row.get("outputs")):
        raise InvalidRequestError(ITEM.format("outputs"))
    texts = encoded(inputs, "inputs"), text_in(outputs, "outputs", reading)
    yield complete(bare_run(row, "", texts, expected, reading))


ROWS = EachAlone(_fits, _read_row)
"""The reader for files of rows."""
