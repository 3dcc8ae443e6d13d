"""Spans of services, jobs and machines are no steps, whatever words their attributes end in."""

from __future__ import annotations

import pytest
from tests.support.spans import extract_spans, make_span, normalized

from spanloom.core.conventions.usage import EVIDENCE, read_counts
from spanloom.core.model.step import Usage
from spanloom.core.model.trajectory import Kind

CALL = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}


@pytest.mark.parametrize(
    "attributes",
    [
        {"prefect.run.type": "flow", "prefect.flow.name": "nightly"},
        {"acme.op.kind": "request", "acme.path": "/orders"},
        {"acme.run.type": "function"},
        {"hw.model": "X", "net.usage.in": "5", "net.usage.out": "7"},
        {"acme.model": "X", "acme.usage.in": "5", "acme.usage.out": "7"},
    ],
    ids=["job", "request", "function", "machine", "traffic"],
)
def test_they_are_no_steps(attributes: dict[str, str]) -> None:
    (n,) = normalized(make_span(1, attributes=attributes)).values()
    assert n.kind is Kind.OTHER
    assert not [
        w for w in extract_spans(make_span(1, attributes=attributes)).warnings if "tokens" in w
    ]


def test_tools_of_a_build_are_no_tools_of_an_agent() -> None:
    built = make_span(1, attributes={"tool.name": "eslint"}, name="run eslint")
    assert [n.kind for n in normalized(built).values()] == [Kind.OTHER]


def test_users_and_errors_are_no_texts_of_a_call() -> None:
    facts = {"gen_ai.request.user": "ada", "llm.user": "ada", "gen_ai.error.message": "x"}
    (n,) = normalized(make_span(1, attributes={**CALL, **facts})).values()
    assert (n.facts.input, n.facts.output) == ("", "")


@pytest.mark.parametrize(
    "name",
    [
        *("jvm.thread_id", "thread_id", "splunk.rumSessionId", "rum.session_id"),
        *("_dd.rum.session_id", "websocket.session_id", "tls.session_id"),
        *("client.session_id", "device.session_id"),
    ],
)
def test_threads_and_sessions_of_machines_are_no_conversation(name: str) -> None:
    call = make_span(1, attributes={**CALL, name: "140234881", "agno.session_id": "S-1"})
    assert extract_spans(call).extras["conversation_id"] == "S-1"


def test_an_empty_name_of_a_conversation_hides_no_other() -> None:
    empty = {"gen_ai.conversation.id": "", "agno.session_id": "S-1"}
    call = make_span(1, attributes={**CALL, **empty})
    assert extract_spans(call).extras["conversation_id"] == "S-1"


@pytest.mark.parametrize(
    "key",
    [
        *("app.limits.tokens.input", "x.budget.usage.input_tokens", "auth.token.in"),
        *("auth.token.total", "app.tokenizer.input", "price.input_tokens"),
    ],
)
def test_settings_and_prices_are_no_counts(key: str) -> None:
    assert read_counts({key: "8000"}, EVIDENCE) == Usage()


def test_counts_of_a_vendor_below_a_known_prefix() -> None:
    counts = {"llm.openai.usage.prompt_tokens": "7", "llm.openai.usage.completion_tokens": "2"}
    assert read_counts(counts, EVIDENCE)[:2] == (7, 2)
