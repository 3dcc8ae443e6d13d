"""Every reader turns any JSON into runs, or refuses it with a place and a reason."""

from __future__ import annotations

import copy
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.drafted import planner
from tests.support.examples import examples
from tests.support.replaced_values import replaced

from spanloom.core.exchange.sources import OTLP, reader_of, readers
from spanloom.core.exchange.verdicts import verdicts_of
from spanloom.core.formats.entry import Of
from spanloom.core.formats.losses import Losses
from spanloom.core.formats.readers import UNEXPECTED, Located, Reading, Refused, Taken
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored

if TYPE_CHECKING:
    from spanloom.core.formats.entry import Format

READ = [known for name, known in readers().items() if name not in (OTLP, "jsonl")]
WRITTEN = {name for name, known in formats_of(Of.RUN).items() if known.writer}
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)


@cache
def written(line: str) -> Any:
    """Return the golden run in a format, as JSON."""
    known = formats_of(Of.RUN)[line]
    document = planner()
    stored = Stored(orjson.dumps(document), verdicts_of(document))
    text = known.load_writer()(stored, Losses())
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return [orjson.loads(text_line) for text_line in text.splitlines()]


def damaged(line: str) -> st.SearchStrategy[Any]:
    """Return a strategy for the golden run with one or two values replaced or removed."""
    return changed(written(line))


@st.composite
def changed(draw: st.DrawFn, whole: Any) -> Any:
    """Return a copy of a value with one or two inner values replaced or removed."""
    value = copy.deepcopy(whole)
    for _ in range(draw(st.integers(1, 2))):
        value = _damage(draw, value)
    return value


def _damage(draw: st.DrawFn, value: Any) -> Any:
    keys: list[Any] = list(range(len(value))) if isinstance(value, list) else []
    if isinstance(value, dict):
        keys = list(value)
    if not keys or draw(st.integers(0, 5)) == 0:
        return draw(VALUES)
    key = draw(st.sampled_from(keys))
    if draw(st.integers(0, 7)) == 0:
        del value[key]
    else:
        value[key] = _damage(draw, value[key])
    return value


@pytest.mark.parametrize(
    "known", [known for known in READ if known.line in WRITTEN], ids=lambda known: known.id
)
def test_a_reader_takes_or_refuses_each_member_of_another_type(known: Format) -> None:
    reader = reader_of(known.id)
    for value in replaced(written(known.line)):
        assert reader.fits(value) in (True, False)
        values = value if isinstance(value, list) else [value]
        located = [Located(f"line {n}", one) for n, one in enumerate(values, 1)]
        for found in reader.read(located, Reading(known.line)):
            assert isinstance(found, Taken) or UNEXPECTED not in found.reason, value


@pytest.mark.skipif(not READ, reason="no format of another system is read")
@settings(max_examples=examples(2_000, 25))
@given(st.data())
def test_a_reader_takes_or_refuses(data: st.DataObject) -> None:
    known = data.draw(st.sampled_from(READ))
    value = data.draw(VALUES | damaged(known.line) if known.line in WRITTEN else VALUES)
    reader = reader_of(known.id)
    assert reader.fits(value) in (True, False)
    values = value if isinstance(value, list) and data.draw(st.booleans()) else [value]
    located = [Located(f"line {n}", one) for n, one in enumerate(values, 1)]
    for found in reader.read(located, Reading(known.line)):
        assert found.place
        if isinstance(found, Taken):
            assert len(found.document["id"]) == 32
        else:
            assert isinstance(found, Refused)
            assert found.reason
            assert UNEXPECTED not in found.reason
