"""The quick way to read a message gives the same as the thorough way, or leaves it to that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spanloom.core.messages.draft import Draft
from spanloom.core.messages.message import take_message
from spanloom.core.messages.plain import read_plain

if TYPE_CHECKING:
    from spanloom.core.model.message import Json

ROLES = ("system", "user", "assistant", "tool")
TEXTS = st.sampled_from(["", "Rome", "{}", '[{"type":"text","text":"Rome"}]'])
IDS = st.sampled_from(["c1", "c2", "", None])
CALLS = st.fixed_dictionaries(
    {},
    optional={
        "id": IDS,
        "type": st.just("function"),
        "function": st.just({"name": "f", "arguments": "{}"}),
        "name": st.just("f"),
        "args": st.just({"a": 1}),
    },
)
PARTS = st.one_of(
    st.builds(lambda text: {"type": "text", "content": text}, TEXTS | st.none()),
    st.builds(lambda text, i: {"type": "text", "content": text, "x": i}, TEXTS, IDS),
    st.builds(lambda i: {"type": "tool_call", "id": i, "name": "f", "arguments": {}}, IDS),
    st.builds(
        lambda i, text: {"type": "tool_call_response", "id": i, "response": text}, IDS, TEXTS
    ),
    st.sampled_from([{"type": "reasoning", "content": "hm"}, {"text": "Rome"}, "Rome", 1]),
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "content": st.one_of(TEXTS, st.none(), st.lists(PARTS, max_size=1)),
        "parts": st.one_of(st.lists(PARTS, max_size=3), st.none()),
        "tool_calls": st.one_of(st.lists(CALLS, max_size=3), st.just("[]"), st.none()),
        "reasoning_content": st.sampled_from(["hm", "", None]),
        "id": IDS,
        "tool_call_id": IDS,
        "name": IDS,
        "finish_reason": st.sampled_from(["stop", None, 1]),
        "status": st.sampled_from(["success", "error", None]),
        "additional_kwargs": st.sampled_from([{}, {"refusal": None}, {"refusal": "no"}, 1]),
        "usage": st.just({"input_tokens": 1}),
        "else": st.just("kept"),
    },
)


NO_TEXT = {"type": "text", "content": None}
CALL = {"type": "tool_call", "id": "c1", "name": "f", "arguments": {}}


@given(MESSAGES, st.sampled_from(ROLES))
@example({"parts": [NO_TEXT, CALL]}, "assistant")
def test_the_cheap_way_gives_what_the_thorough_one_gives(item: dict[str, Json], role: str) -> None:
    out: list[Json] = []
    draft = Draft(out, role)
    take_message(draft, item)
    draft.finish()
    message = read_plain(item, role)
    assert message is None or [message] == out


@pytest.mark.parametrize(
    "item",
    [
        {"content": "Rome", "name": "n", "usage": {"input_tokens": 1}},
        {"content": None, "tool_calls": [{"id": "c1", "name": "f", "args": {}}]},
        {"parts": [{"type": "text", "content": "Rome"}]},
        {"parts": [{"type": "tool_call", "id": "c1", "name": "f", "arguments": {}}]},
        {"parts": [{"type": "tool_call_response", "id": "c1", "response": "sunny"}]},
        {"content": "sunny", "status": "success", "additional_kwargs": {}},
    ],
)
def test_common_messages_are_read_the_cheap_way(item: dict[str, Json]) -> None:
    assert read_plain(item, "assistant") is not None
