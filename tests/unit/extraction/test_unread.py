"""Unread attributes that look like tokens, messages or a model are reported once."""

from __future__ import annotations

import pytest
from tests.support.spans import extract_spans, make_span

OPERATION = {"gen_ai.operation.name": "chat"}


def warnings(*attributes: dict[str, str]) -> list[str]:
    spans = [make_span(1, end=99)]
    spans += [make_span(n, 1, each) for n, each in enumerate(attributes, start=2)]
    return [w for w in extract_spans(*spans).warnings if w.startswith("not read: ")]


def test_unread_names_are_told_once_with_their_spans() -> None:
    read = {**OPERATION, "gen_ai.input.messages": "hello"}
    unread = {**read, "gen_ai.usage.magic_tokens": "3", "their.messages": "hi"}
    assert warnings(unread, unread) == [
        "not read: gen_ai.usage.magic_tokens (2 spans)",
        "not read: their.messages (2 spans)",
    ]


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.usage.input_tokens": "3"},
        {"gen_ai.usage.magic_tokens": "0"},
        {"gen_ai.usage.magic_tokens": "many"},
        {"gen_ai.request.max_tokens": "3"},
        {"gen_ai.input.messages": "hi"},
        {"their.messages": "hi"},
        {"gen_ai.request.model": "m"},
        {"x" * 200 + ".messages": "hi"},
    ],
)
def test_what_is_read_or_says_nothing_is_not_told(attributes: dict[str, str]) -> None:
    assert warnings({**OPERATION, **attributes}) == []


def test_of_a_known_library_only_calls_without_counts_are_looked_at() -> None:
    known = {"openinference.span.kind": "LLM", "llm.magic_tokens": "3", "their.messages": "hi"}
    counts = {"llm.token_count.prompt": "1", "llm.token_count.completion": "1"}
    assert warnings(known) == ["not read: llm.magic_tokens (1 spans)"]
    assert warnings({**known, **counts}) == []


def test_at_most_ten_are_told() -> None:
    assert len(warnings({**OPERATION, **{f"a{n}.messages": "hi" for n in range(30)}})) == 10


def test_a_total_alone_is_counted_nowhere() -> None:
    total = {**OPERATION, "gen_ai.usage.total_tokens": "120"}
    assert warnings(total) == ["not read: gen_ai.usage.total_tokens (1 spans)"]
    assert warnings({**total, "gen_ai.usage.input_tokens": "100"}) == []
