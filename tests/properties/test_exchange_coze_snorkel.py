"""Coze and Snorkel: any run survives a round trip; any JSON is read or refused with a reason."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.exchanged import read, read_all, write

from spanloom.client.transfer.documents import read_run
from spanloom.core.exchange.drafts import Draft, DraftStep, complete
from spanloom.core.formats.readers import Taken
from spanloom.core.model.step import StepError, Usage
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from hypothesis.strategies import DataObject, DrawFn

Json = dict[str, Any]
FORMATS = ("coze", "coze-dataset", "coze-example", "snorkel")
FIXTURES = Path(__file__).parents[1] / "fixtures"
WORDS = st.text(max_size=5)
TIMES = st.integers(1, 4)
ERRORS = st.builds(StepError, st.integers(-1, 599), st.text(min_size=1, max_size=5))
COUNTS = st.integers(0, 2**27)  # sums of more than 31 bits wrap around in `coze`
KINDS = st.sampled_from([kind for kind in Kind if kind is not Kind.OTHER])


@st.composite
def documents(draw: DrawFn) -> Json:
    """Draw documents of runs with any tree of steps."""
    count = draw(st.integers(1, 8))
    steps = [
        DraftStep(
            f"{at + 1:016x}",
            f"{draw(st.integers(1, at)):016x}" if at else "",
            draw(KINDS) if at else draw(st.sampled_from(Kind)),
            draw(WORDS),
            draw(WORDS),
            draw(WORDS),
            draw(TIMES),
            draw(TIMES),
            draw(
                st.none()
                | st.builds(StepError, st.integers(-1, 599), st.text(min_size=1, max_size=5))
            ),
            draw(st.none() | st.builds(Usage, *[COUNTS] * 5)),
            metadata=draw(st.dictionaries(WORDS, WORDS, max_size=2)),
        )
        for at in range(count)
    ]
    return complete(Draft("a" * 32, "default", "made", steps))


def values(name: str) -> list[Any]:
    """Return published examples of a format, for ``spoiled``."""
    if name == "snorkel":
        traces: list[Any] = json.loads((FIXTURES / "snorkel/example.json").read_text("utf-8"))
        return traces
    example = json.loads((FIXTURES / "coze-loop/example.json").read_text("utf-8"))
    if name == "coze-dataset":
        return [orjson.loads(write(name, read("coze", example).document))]
    return [example]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


def spoiled(value: Any, data: DataObject) -> Any:
    """Return a value of which one part is another JSON value or missing."""
    if data.draw(st.integers(0, 3)) == 0 or not isinstance(value, dict | list) or not value:
        return data.draw(JSON)
    if isinstance(value, list):
        at = data.draw(st.integers(0, len(value) - 1))
        return [spoiled(one, data) if n == at else one for n, one in enumerate(value)]
    key = data.draw(st.sampled_from(sorted(value)))
    if data.draw(st.integers(0, 5)) == 0:
        return {k: v for k, v in value.items() if k != key}
    return {**value, key: spoiled(value[key], data)}


@pytest.mark.parametrize("name", FORMATS)
@given(document=documents())
def test_any_run_is_valid_there_and_comes_back_the_same(name: str, document: Json) -> None:
    body = write(name, document)
    validator = import_module(f"tests.support.exchange_validators.{name.replace('-', '_')}")
    validator.check(body)
    first = orjson.loads(body)
    for one in first if isinstance(first, list) else [first]:
        again = read(name, one).document
        read_run(again, None)
        assert orjson.loads(write(name, again)) == first


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_any_json_is_read_or_refused(name: str, data: DataObject) -> None:
    value = spoiled(data.draw(st.sampled_from(values(name))), data)
    for found in read_all(name, value):
        if isinstance(found, Taken):
            write(name, found.document)
        else:
            assert found.reason
