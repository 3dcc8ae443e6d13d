"""MCP under OpenLLMetry: one run of a tool, reported by application, client and server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, make_span, normalized, owners, rules

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "opentelemetry.instrumentation.mcp.instrumentation"
CALL = ("tool", "traceloop_mcp.call")
AGAIN = ("tool", "traceloop_mcp.reported_again")
SERVER = "mcp.server"


def tool(number: int, parent: int, name: str, start: float, end: float) -> Span:
    said = {"traceloop.span.kind": "tool", "traceloop.entity.name": name}
    return make_span(number, parent, said, name=f"{name}.tool", scope=SCOPE, start=start, end=end)


def server(number: int, parent: int, start: float, end: float) -> Span:
    said = {"traceloop.span.kind": "server"}
    return make_span(number, parent, said, name=SERVER, scope=SCOPE, start=start, end=end)


def test_the_servers_report_below_or_beside_the_clients_counts_once() -> None:
    root = make_span(1, 0, {}, name="mcp.client.session", scope=SCOPE, end=20)
    below = [tool(2, 1, "b", 1, 5), server(3, 2, 2, 4), tool(4, 3, "b", 2, 4)]
    beside = [tool(5, 1, "b", 6, 9), server(6, 1, 7, 8), tool(7, 6, "b", 7, 8)]
    assert owners(extract_spans(root, *below, *beside)) == {1: [2, 5]}
    found = rules(root, *below, *beside)
    assert [found[n] for n in (2, 4, 5, 7)] == [CALL, AGAIN, CALL, AGAIN]


def test_a_server_alone_reports_its_tools() -> None:
    assert rules(server(1, 0, 0, 9), tool(2, 1, "b", 1, 2))[2] == CALL


def test_a_tool_that_calls_another_is_a_run_of_its_own() -> None:
    found = rules(tool(1, 0, "b", 0, 9), server(2, 1, 1, 8), tool(3, 2, "c", 1, 8))
    assert (found[1], found[3]) == (CALL, CALL)


@pytest.mark.parametrize(
    "around",
    [
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "b"},
        {"openinference.span.kind": "TOOL", "tool.name": "b"},
    ],
)
def test_a_frameworks_span_of_the_tool_keeps_its_identity(around: dict[str, str]) -> None:
    spans = [make_span(1, 0, {}), make_span(2, 1, around, end=9), tool(3, 2, "b", 1, 8)]
    assert owners(extract_spans(*spans)) == {1: [2]}


def test_texts_are_taken_out_of_the_request() -> None:
    said = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.input": '{"tool_name": "b", "arguments": {"c": 1}}',
        "traceloop.entity.output": '{"result": "d"}',
    }
    facts = normalized(make_span(1, 0, said, name="b.tool", scope=SCOPE))[1].facts
    assert (facts.input, facts.output) == ('{"c":1}', "d")
    plain = {**said, "traceloop.entity.input": "e", "traceloop.entity.output": '{"result": [1]}'}
    facts = normalized(make_span(1, 0, plain, name="b.tool", scope=SCOPE))[1].facts
    assert (facts.input, facts.output) == ("e", "[1]")


def test_sessions_and_other_requests_are_plumbing() -> None:
    said = make_span(1, 0, {"traceloop.entity.input": "{}"}, name="initialize.mcp", scope=SCOPE)
    assert rules(said)[1] == ("other", "traceloop_mcp.plumbing")
