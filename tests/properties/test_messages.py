"""Inputs and outputs of any SDK become one form of messages: lossless, idempotent, no errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.known_words import words_in
from tests.support.message_forms import FORMS, Said, canonical
from tests.support.messages import assert_is_conversation

from spanloom.core.messages import steps
from spanloom.core.model.message import CONVERSATION_START

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = words_in("core/messages")
USUAL = ("role", "type", "content", "messages", "items", "input", "output", "tool_calls", "message")
KEYS = st.sampled_from(USUAL) | st.sampled_from(WORDS)
scalars = (
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", *WORDS]) | st.text(max_size=4)
)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    texts = inner.map(json.dumps)  # JSON inside JSON, as SDKs often send
    return st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner | texts, max_size=4)


anything = st.recursive(scalars, _nested, max_leaves=25)
READERS: list[Callable[[str], str]] = [
    steps.read_input,
    steps.read_output,
    steps.read_request,
    steps.read_answer,
    steps.read_arguments,
    steps.read_result,
    lambda text: steps.read_state(text, "user"),
    lambda text: steps.read_state(text, "assistant"),
]


@pytest.mark.parametrize("read", READERS)
@given(value=anything)
@example(value={"output": [{"output": "x"}]})
@example(value={"inputs": "null"})
@example(value={"items": [{"type": ["fruit"], "name": "apple"}]})
@example(value={"goto": "sales", "update": "done"})
@example(value={"goto": "sales", "update": "done", "graph": "parent"})
def test_what_comes_out_goes_in_unchanged(read: Callable[[str], str], value: object) -> None:
    shown = read(json.dumps(value))
    assert read(shown) == shown


@pytest.mark.parametrize("read", READERS[:2])
@given(value=anything)
def test_what_begins_as_a_conversation_is_one(read: Callable[[str], str], value: object) -> None:
    shown = read(json.dumps(value))
    if shown.startswith(CONVERSATION_START):
        assert_is_conversation(shown)


@pytest.mark.parametrize("read", READERS)
@given(text=st.text() | st.text(alphabet='[]{}":,role\\ud8'))
@example(text="[" * 5000)
@example(text='{"messages":' * 300 + "1" + "}" * 300)
@example(text='[{"role":"user","content":' + "[" * 600 + "]" * 600 + "}]")
@example(text='[{"role":"user","content":"cut o')
@example(text="\ud800")
def test_any_text_is_read(read: Callable[[str], str], text: str) -> None:
    shown = read(text)
    assert read(shown) == shown


words = st.text(min_size=1)
said = st.builds(
    Said, words, words, words, words, words, st.dictionaries(words, words, max_size=2), words
)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@given(said=said)
@example(Said("s", "u", "t", "x", "f", {}, '{"a": 1}'))
def test_every_form_says_the_same(form: Callable[[Said], object], said: Said) -> None:
    assert json.loads(steps.read_input(json.dumps(form(said)))) == canonical(said)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@given(said=said, share=st.floats(0, 1, exclude_max=True))
@example(Said("s", "u", "t", "x", "f", {}, "r"), 0.99)
def test_a_cut_leaves_what_was_before_it(
    form: Callable[[Said], object], said: Said, share: float
) -> None:
    text = json.dumps(form(said))
    shown = steps.read_input(text[: int(len(text) * share)])
    if not shown.startswith(CONVERSATION_START):
        return
    messages, whole = json.loads(shown), canonical(said)
    if messages[0]["role"] != "system":  # a system prompt may come last in a body
        whole = whole[1:]
    assert messages[:-1] == whole[: len(messages) - 1]
    last, left = whole[len(messages) - 1], messages[-1]
    if len(messages) > 1:  # a cut first message may have lost its role
        assert left["role"] == last["role"]
        texts = last["content"], last.get("reasoning_content", "")  # its thought flag may be cut
        assert any(text.startswith(left["content"]) for text in texts)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@given(said=said)
def test_what_is_encoded_twice_says_the_same(form: Callable[[Said], object], said: Said) -> None:
    text = json.dumps(form(said))
    assert steps.read_input(json.dumps(text)) == steps.read_input(text)


NESTS = [
    ('{"role":"user","content":[', "]}"),
    ('{"type":"tool_result","content":[', "]}"),
    ('{"type":"user_input_text","user_input_text":', "}"),
    ('{"functionResponse":{"response":', "}}"),
    ('{"lc":1,"id":["m","AIMessage"],"kwargs":{"content":[', "]}}"),
    ('{"parts":[', '],"role":"user"}'),
    ('{"message":', "}"),
    ('{"inputs":', "}"),
    ('{"stream":[', "]}"),
    ("[", "]"),
]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(("before", "behind"), NESTS)
def test_what_is_nested_too_deep_is_text(
    read: Callable[[str], str], before: str, behind: str
) -> None:
    for depth in (60, 100, 500, 1000):
        nested = before * depth + "1" + behind * depth
        for text in (nested, f'{{"messages":[{nested}]}}', f'[{{"role":"x","content":{nested}}}]'):
            shown = read(text)
            assert read(shown) == shown


@pytest.mark.parametrize("read", READERS)
def test_texts_inside_texts_may_nest_as_they_like(read: Callable[[str], str]) -> None:
    text = "1"
    for _ in range(7):
        nested = f'{{"type":"text","text":{json.dumps(text)}}}'
        text = '[{"type":"tool_result","content":' * 50 + f"[{nested}]" + "}]" * 50
    assert read(text)
