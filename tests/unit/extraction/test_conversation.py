"""A run's conversation is the one that its root names, under any of the known attributes."""

from __future__ import annotations

import pytest
from tests.support.spans import chat, extract_spans, genai, make_span
from tests.support.wild import wild_documents


def test_the_conversation_of_a_root_that_is_no_step() -> None:
    found = [d["extraction"]["conversation_id"] for d in wild_documents("conversation-of-the-root")]
    assert found == ["S9", "S9", "SESSION-1"]


@pytest.mark.parametrize(
    "name",
    [
        *("gen_ai.conversation.id", "langfuse.session.id", "gen_ai.session.id", "session.id"),
        "traceloop.association.properties.thread_id",
        "langsmith.metadata.session_id",
        "ai.telemetry.metadata.sessionId",
        "mlflow.trace.session",
        "conversation.id",
        *("session_id", "sessionId", "thread_id", "agno.session.id", "voltagent.conversation_id"),
        *("gen_ai.thread.id", "mastra.threadId", "ai.telemetry.metadata.langfuseSessionId"),
        "lmnr.association.properties.session_id",
    ],
)
def test_a_root_names_its_conversation_as_it_likes(name: str) -> None:
    call = make_span(2, 1, chat(1, 1))
    assert extract_spans(make_span(1, 0, {name: "c1"}), call).conversation_id == "c1"


def test_a_web_servers_session_yields_to_what_all_calls_name() -> None:
    root = make_span(1, 0, {"session.id": "browser", "http.request.method": "POST"})
    calls = [make_span(n, 1, chat(1, 1, conversation__id="c1")) for n in (2, 3)]
    assert extract_spans(root, *calls).conversation_id == "c1"
    job = make_span(1, 0, {"session.id": "s1"})
    assert extract_spans(job, *calls).conversation_id == "s1"
    other = make_span(4, 1, chat(1, 1))
    assert extract_spans(root, *calls, other).conversation_id == "browser"


def test_the_conversation_of_an_inner_agent_is_its_own() -> None:
    outer = make_span(2, 1, agent("boss", "c1"))
    call = make_span(5, 2, chat(1, 1, conversation__id="c1"))
    inner = make_span(3, 2, agent("helper", "c2"), start=20)
    assert extract_spans(make_span(1), outer, call, inner).conversation_id == "c1"
    beside = make_span(4, 1, agent("other", "c3"))
    assert extract_spans(make_span(1), outer, call, inner, beside).conversation_id == ""


def agent(name: str, conversation: str) -> dict[str, str]:
    return genai("invoke_agent", agent__name=name, conversation__id=conversation)


@pytest.mark.parametrize(
    "name",
    [
        *("thread.id", "mcp.session.id", "langsmith.trace.session_id", "user.session.id"),
        *("gen_ai.response.id", "http.session.id", "x" * 200 + ".session_id"),
    ],
)
def test_ids_of_other_things_are_no_conversation(name: str) -> None:
    call = make_span(2, 1, chat(1, 1))
    assert not extract_spans(make_span(1, 0, {name: "c1"}), call).conversation_id


def test_metadata_names_the_conversation_where_nothing_else_does() -> None:
    metadata = {"metadata": '{"threadId":"t","sessionId":"s","user_id":"u"}'}
    call = make_span(2, 1, chat(1, 1))
    assert extract_spans(make_span(1, 0, metadata), call).conversation_id == "t"
    named = {**metadata, "session_id": "s1"}
    assert extract_spans(make_span(1, 0, named), call).conversation_id == "s1"


def test_a_vendors_session_of_a_web_server_is_none() -> None:
    root = make_span(1, 0, {"app.session_id": "browser", "http.request.method": "POST"})
    call = make_span(2, 1, chat(1, 1, conversation__id="c1"))
    assert extract_spans(root, call).conversation_id == "c1"
