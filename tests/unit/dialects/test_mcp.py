"""The Model Context Protocol by its own attributes, Logfire's and Sentry's; the spans of A2A."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, genai, make_span, normalized, raised, rules

from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from spanloom.core.model.span import NormalizedSpan, Span


def request(method: str, **more: str) -> Span:
    return make_span(1, 0, {"mcp.method.name": method, **more}, name=f"MCP send {method}")


def read(span: Span) -> NormalizedSpan:
    return normalized(make_span(9), span._replace(parent_span_id=make_span(9).span_id))[1]


@pytest.mark.parametrize(
    "method",
    ["initialize", "server/discover", "tools/list", "ping", "notifications/initialized"],
)
def test_what_sets_up_a_session_never_fails(method: str) -> None:
    refused = request(method, **{"error.type": "-32602"})._replace(status_code="Error")
    post = make_span(2, 1, name="POST", status="Error", message="404")
    trajectory = extract_spans(refused, post)
    assert rules(refused)[1] == ("other", "mcp.session")
    assert trajectory.failures == ()


@pytest.mark.parametrize("method", ["resources/read", "prompts/get", "sampling/createMessage"])
def test_a_request_for_contents_may_fail(method: str) -> None:
    refused = request(method)._replace(status_code="Error", status_message="no such file")
    assert rules(refused)[1] == ("other", "mcp.other_request")
    assert [f.error.message for f in extract_spans(refused).failures] == ["no such file"]


@pytest.mark.parametrize(
    ("name", "attributes", "scope"),
    [
        ("MCP send tools/call b", {"mcp.method.name": "tools/call"}, "mcp-python-sdk"),
        ("tools/call b", {"mcp.method.name": "tools/call", "gen_ai.tool.name": "b"}, "fastmcp"),
        ("mcp.server", {"mcp.method.name": "tools/call", "mcp.tool.name": "b"}, "sentry"),
        ("mcp tools/call", {"mcp.method": "tools/call", "mcp.tool.name": "b"}, "other"),
        ("MCP request: tools/call b", {"rpc.system": "jsonrpc"}, "logfire.mcp"),
        (
            "MCP server handle request: tools/call",
            {"request": '{"method": "tools/call", "params": {"name": "b"}}'},
            "logfire.mcp",
        ),
    ],
)
def test_a_call_is_a_run_of_the_tool_that_it_names(
    name: str, attributes: dict[str, str], scope: str
) -> None:
    n = read(make_span(1, 0, attributes, name=name, scope=scope))
    assert (n.kind, n.rule, n.facts.tool_name) == (Kind.TOOL, "mcp.tools_call", "b")


def test_arguments_and_results_are_read_in_the_forms_of_all() -> None:
    params = {"name": "b", "arguments": {"q": "bees"}}
    logfire = make_span(
        1,
        0,
        {"request": json.dumps({"params": params}), "response": '{"content": [], "x": 1}'},
        name="MCP request: tools/call b",
        scope="logfire.mcp",
    )
    sentry = request(
        "tools/call", **{"mcp.request.argument.q": "bees", "mcp.tool.result.content": "honey"}
    )
    own = request(
        "tools/call",
        **{"gen_ai.tool.call.arguments": '{"q":"bees"}', "gen_ai.tool.call.result": "honey"},
    )
    texts = [(n.facts.input, n.facts.output) for n in map(read, (logfire, sentry, own))]
    assert {text for text, _ in texts} == {'{"q":"bees"}'}
    assert [json.loads(texts[0][1]), texts[1][1], texts[2][1]] == [
        {"content": [], "x": 1},
        "honey",
        "honey",
    ]


def test_a_result_that_sentry_marks_as_an_error_is_one() -> None:
    said = {"mcp.tool.result.content": "no such file", "mcp.tool.result.is_error": "true"}
    error = read(request("tools/call", **said)).error
    assert error is not None
    assert error.message == "no such file"


def test_what_sentry_writes_as_json_is_its_value() -> None:
    content = json.dumps([{"type": "text", "text": "no such file"}])
    said = {
        "mcp.request.argument.city": '"Oslo"',
        "mcp.request.argument.days": "3",
        "mcp.tool.result.content": content,
        "mcp.tool.result.is_error": "true",
    }
    call = read(request("tools/call", **said))
    assert call.facts.input == '{"city":"Oslo","days":3}'
    assert call.error is not None
    assert call.error.message == "no such file"


def test_a_framework_reads_the_calls_in_its_own_scope() -> None:
    span = make_span(
        1,
        0,
        {"mcp.method.name": "tools/call", **genai("execute_tool", tool__name="b")},
        scope="agent_framework",
    )
    assert read(span).dialect == "agent_framework"


A2A = "a2a-python-sdk"


def a2a(status: str, *types: str) -> Span:
    events = [raised(f"a2a.{name}", "it ended") for name in types]
    return make_span(2, 1, name="dequeue_event", scope=A2A, status=status, events=events)


@pytest.mark.parametrize(
    ("span", "failures"),
    [
        (a2a("Unset", "QueueShutDown"), 0),
        (a2a("Error", "QueueShutDown"), 0),
        (a2a("Error", "QueueClosed"), 0),
        (a2a("Unset", "ValueError"), 0),
        (a2a("Error", "ValueError"), 1),
        (a2a("Error", "ValueError", "QueueShutDown"), 1),
    ],
)
def test_the_end_of_a_queue_of_a2a_is_no_failure(span: Span, failures: int) -> None:
    trajectory = extract_spans(make_span(1, 0, genai("invoke_agent"), end=50), span)
    assert len(trajectory.failures) == failures


def agent(number: int, parent: int, service: str, **more: str) -> Span:
    attributes = genai("invoke_agent", agent__name="teller", **more)
    return make_span(number, parent, attributes, start=number, end=99 - number)._replace(
        service_name=service
    )


def in_front(number: int, parent: int, operation: str = "") -> Span:
    attributes = genai(operation) if operation else {}
    return make_span(number, parent, attributes, start=number)._replace(service_name="front")


def agents(*spans: Span) -> int:
    return extract_spans(make_span(1, 0, {}, end=100), *spans).step_counts["agent"]


def test_a_proxy_and_the_agent_in_another_service_are_one_agent() -> None:
    proxy, remote = agent(2, 1, "front"), agent(4, 3, "remote")
    assert agents(proxy, in_front(3, 2), remote) == 1
    assert agents(proxy, in_front(3, 2), agent(4, 3, "front")) == 2
    assert agents(proxy, in_front(3, 2), in_front(5, 2, "chat"), remote) == 2
    assert agents(proxy, in_front(3, 2, "execute_tool"), remote) == 2
