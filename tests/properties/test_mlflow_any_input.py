"""MLflow traces and rows: any run is written and read back, and nothing makes a reader raise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.drafted import planner
from tests.support.examples import examples
from tests.support.traces import KEY, traces

from spanloom.client.transfer.documents import read_run
from spanloom.core.errors import InvalidRequestError
from spanloom.core.extract import extract
from spanloom.core.formats.canonical import encode_document
from spanloom.core.formats.entry import Of
from spanloom.core.formats.imported import carry
from spanloom.core.formats.losses import Losses
from spanloom.core.formats.readers import Located, Reading, Refused, Taken
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.model.span import Span

FORMATS = ("databricks", "mlflow", "mlflow-eval")
ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()))  # lone surrogates too
    | st.sampled_from(["{}", "[]", "null", '"', "tr-1", "trace:/a.b/1", "-1", "1e400", "²"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def write(name: str, document: bytes) -> Any:
    return json.loads(formats_of(Of.RUN)[name].load_writer()(Stored(document), Losses()))


def read(name: str, *values: object) -> list[Taken | Refused]:
    located = [Located(f"line {at}", value) for at, value in enumerate(values, 1)]
    found = list(formats_of(Of.RUNS)[name].load_reader().read(located, Reading(name)))
    for one in found:
        if isinstance(one, Taken):
            assert read_run(one.document, "p").trace_id == one.document["id"]
    return found


@pytest.mark.parametrize("name", FORMATS)
@given(spans=traces())
@settings(max_examples=examples(100))
def test_any_run_is_written_and_read_back(name: str, spans: list[Span]) -> None:
    document = encode_document(extract(KEY, spans), 1, Status.SETTLED)
    written = write(name, document)
    (found,) = read(name, written)
    if isinstance(found, Taken):
        assert write(name, json.dumps(found.document).encode()) == written
    else:  # times that an import refuses
        assert "time" in found.reason


@pytest.mark.parametrize("name", FORMATS)
@given(value=ANY_JSON, names=st.sets(st.sampled_from(["info", "data", "request", "inputs"])))
@settings(max_examples=examples(200))
def test_any_json_is_refused_with_its_place(name: str, value: object, names: set[str]) -> None:
    formats_of(Of.RUNS)[name].load_reader().fits(value)
    for one in read(name, value, dict.fromkeys(names, value)):
        assert one.place.startswith("line ")


PLANNER = json.dumps(planner()).encode()


def places_of(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every place in a JSON value."""
    yield path
    pairs: dict[Any, Any] = value if isinstance(value, dict) else {}
    for key, item in [*pairs.items(), *(enumerate(value) if isinstance(value, list) else ())]:
        yield from places_of(item, (*path, key))


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data(), value=ANY_JSON, is_text=st.booleans())
@settings(max_examples=examples(400))
def test_a_trace_with_anything_in_any_place(
    name: str, data: st.DataObject, value: object, *, is_text: bool
) -> None:
    trace = write("mlflow", PLANNER)
    path = data.draw(st.sampled_from([*places_of(trace)][1:]))
    inside = trace
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = json.dumps(value) if is_text else value
    rows = {"mlflow": trace, "databricks": {"request": "a", "trace": trace}}
    (found,) = read(name, rows.get(name, {"trace": trace}))
    if isinstance(found, Taken):
        write(name, json.dumps(found.document).encode())


def test_a_refusal_is_no_error() -> None:
    """A document with an invalid id raises ``InvalidRequestError`` and no other error."""
    with pytest.raises(InvalidRequestError):
        carry({**planner(), "id": "1"})
