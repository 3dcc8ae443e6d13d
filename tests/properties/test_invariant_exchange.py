"""Invariant format: lines survive a round trip, and any JSON is read or refused."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.exchange_validators.invariant import check

from spanloom.client.transfer.documents import read_run
from spanloom.core.exchange.invariant.reader import INVARIANT
from spanloom.core.exchange.invariant.writer import encode_invariant
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Losses
from spanloom.core.formats.readers import Located, Reading, Refused, Taken
from spanloom.core.formats.stored import Stored

Json = dict[str, Any]
WORDS = st.text(st.sampled_from('ab {["中😀\n'), max_size=5)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)
IDS = st.sampled_from(["c1", "c2", ""])
CALL = st.fixed_dictionaries(
    {},
    optional={
        "id": IDS | st.none(),
        "function": st.fixed_dictionaries(
            {},
            optional={"name": st.sampled_from(["f", "g", ""]), "arguments": WORDS | ANY},
        ),
    },
)
PARTS = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "image_url", "file"])}, optional={"text": WORDS}
    ),
    max_size=3,
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "user", "assistant", "assistant", "tool", "x"])},
    optional={
        "content": WORDS | PARTS | st.none() | st.integers(),
        "tool_calls": st.lists(CALL, max_size=3) | st.none(),
        "tool_call_id": IDS | st.sampled_from(["00f067aa0ba902b7", "c9"]),
        "timestamp": st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-01", "", "x"]) | st.none(),
        "name": WORDS,
    },
)
MESSAGES = st.lists(MESSAGE, max_size=8)
METADATA = st.fixed_dictionaries(
    {},
    optional={
        "trace_id": st.sampled_from(["5e" * 16, "run"]),
        "parent_trace": st.sampled_from(["5e" * 16, "run", ""]),
        "name": WORDS,
        "agent": WORDS | ANY,
        "own": ANY,
    },
)
LINE = st.fixed_dictionaries(
    {"messages": MESSAGES}, optional={"metadata": METADATA, "annotations": st.lists(ANY)}
)
NEAR = st.fixed_dictionaries(
    {},
    optional={
        "messages": ANY | st.lists(ANY | MESSAGE) | st.lists(st.lists(ANY | MESSAGE)),
        "metadata": ANY | METADATA,
        "annotations": ANY,
        "role": ANY,
        "id": ANY,
    },
)


def read(values: list[Any]) -> list[Taken | Refused]:
    located = [Located(f"line {n}", value) for n, value in enumerate(values, 1)]
    return list(INVARIANT.read(located, Reading("invariant")))


def written(document: Json) -> list[Json]:
    body = encode_invariant(Stored(dump(document)), Losses())
    check(body)
    lines: list[Json] = json.loads(body)
    return lines


@given(st.lists(LINE | MESSAGES, min_size=1, max_size=3))
def test_lines_that_were_written_stay(values: list[Any]) -> None:
    for one in read(values):
        assert isinstance(one, Taken), one
        read_run(one.document, "other")
        lines = written(one.document)
        (again,) = read(lines)
        assert isinstance(again, Taken), again
        assert written(again.document) == lines


@given(st.lists(ANY | NEAR | MESSAGE, max_size=4))
def test_any_json_is_read_or_refused(values: list[Any]) -> None:
    for value in values:
        INVARIANT.fits(value)
    for one in read(values):
        if isinstance(one, Taken):
            written(one.document)
        else:
            assert one.place.startswith("line ")
            assert one.reason
