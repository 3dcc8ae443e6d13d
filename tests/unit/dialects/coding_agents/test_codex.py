"""Codex's spans: repeated requests, namespaced tools, failed commands, internal spans."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.support.agent_events import bare, event, run, steps
from tests.support.spans import make_span, raised, verdict

from spanloom.core.model.step import Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import Event, Span
    from spanloom.core.model.trajectory import Trajectory


def span(
    number: int,
    name: str,
    parent: int = 2,
    at: tuple[float, float] = (1, 9),
    events: Sequence[Event] = (),
    **values: str,
) -> Span:
    attributes = {k.replace("__", "."): v for k, v in values.items()}
    return make_span(
        number, parent, attributes, start=at[0], end=at[1], name=name, scope="codex_exec",
        events=events,
    )  # fmt: skip


def turn(*spans: Span) -> Trajectory:
    asked = event("codex.user_prompt", 1, prompt="How?", conversation__id="c")
    return run(
        span(1, "turn/start", 0, (0, 5)),
        span(2, "session_task.turn", 1, (1, 100)),
        span(3, "run_turn", 2, (1, 100), [asked], conversation__id="c", cwd="/src"),
        *spans,
    )


def request(at: float, status: str, **values: str) -> Event:
    values |= {"http__response__status_code": status, "event__timestamp": str(at)}
    return event("codex.api_request", at, **values)


USED: dict[str, Any] = {
    "gen_ai__usage__input_tokens": "10",
    "gen_ai__usage__cache_read__input_tokens": "4",
}
COUNTED: dict[str, Any] = {
    **USED,
    "gen_ai__usage__output_tokens": "5",
    "codex__usage__reasoning_output_tokens": "3",
}


def test_a_turn_is_a_run_as_long_as_its_second_half() -> None:
    found = turn(
        span(4, "try_run_sampling_request", 3, model="gpt"),
        span(5, "handle_responses", 4, **COUNTED),
    )
    assert (found.root.name, found.root.input) == ("codex", "How?")
    assert (found.root.end_ns - found.root.start_ns) // 1_000_000 == 100
    assert found.extras["conversation_id"] == "c"
    assert found.extras["metadata"] == {"directory": "/src"}
    [call] = steps(found, "model")
    assert (call.model, call.usage) == ("gpt", (10, 5, 3, 4, 0))
    assert verdict(found, 1).rule == "codex.turn.fragment"


def test_each_request_is_a_call() -> None:
    refused: dict[str, Any] = {"error.message": "slow down"}
    tries = [request(2, "429", **refused), request(4, "500"), request(8, "200")]
    found = turn(
        span(4, "try_run_sampling_request", 3),
        span(5, "endpoint_session.stream_encoded_json_with", 4, (1, 8), tries),
        span(6, "handle_responses", 4, **COUNTED),
    )
    calls = steps(found, "model")
    codes = sorted((call.error.code, call.error.message) for call in calls if call.error)
    assert codes == [(429, "slow down"), (500, "the request was repeated")]
    assert len(calls) == 3


def test_a_call_whose_last_request_failed_has_failed() -> None:
    found = turn(
        span(4, "try_run_sampling_request", 3),
        span(5, "endpoint_session.x", 4, (1, 8), [request(2, "400", error__message="no")]),
    )
    [call] = steps(found, "model")
    assert call.error is not None
    assert (call.error.code, call.error.message) == (400, "no")


def test_a_record_that_a_span_repeats_is_one_request() -> None:
    twice = [request(2, "200"), request(2, "200", endpoint="/responses")]
    found = turn(span(4, "try_run_sampling_request", 3), span(5, "endpoint", 4, (1, 8), twice))
    assert len(steps(found, "model")) == 1


def test_a_tool_has_its_namespace_and_its_exit_code() -> None:
    result = event(
        "codex.tool_result", 8, call_id="t", tool_name="add", tool_namespace="mcp__calc",
        arguments='{"a":1}', success="true", output="Process exited with code 2\nOutput:\noops",
    )  # fmt: skip
    called = event("codex.tool_call_received", 3, call_id="t", tool_name="add")
    found = turn(
        span(4, "try_run_sampling_request", 3, events=[called]),
        span(5, "mcp__calcadd", 3, tool_name="mcp__calcadd", call_id="t",
             codex__tool__phase="dispatch", events=[result]),
        span(6, "mcp.tools.call", 5, tool__call_id="t", tool__name="add"),
    )  # fmt: skip
    [tool], [call] = steps(found, "tool"), steps(found, "model")
    assert (tool.name, tool.input) == ("mcp__calc/add", '{"a":1}')
    assert tool.error is not None
    assert tool.error.message == "exit code 2: oops"
    assert json.loads(call.output)[0]["tool_calls"][0]["function"]["name"] == "mcp__calc/add"


def test_without_its_record_a_tool_is_named_when_its_result_is_ready() -> None:
    ready = event("codex.tool_result_ready", 8, tool_name="spawn_agent", tool_namespace="agents")
    tool = span(
        5, "agentsspawn_agent", 3, call_id="t", codex__tool__phase="dispatch", events=[ready]
    )
    assert [step.name for step in steps(turn(tool), "tool")] == ["agents/spawn_agent"]


def test_the_programs_own_spans_are_no_runs_and_no_failures() -> None:
    failed = span(2, "fs.read_file", 1, events=[raised("io::Error", "no such file")])
    found = run(span(1, "thread/start", 0), failed._replace(status_code="Error"))
    assert found.step_counts == {"agent": 0, "model": 0, "tool": 0, "graph": 0, "other": 2}
    assert (found.failures, found.outcome) == ((), "ok")


def test_a_call_whose_stream_was_cut_has_failed() -> None:
    cut = event("codex.sse_event", 8, event__kind="response.failed", error__message="idle timeout")
    sent = event("codex.websocket_request", 4, duration_ms="2", success="true")
    found = turn(span(4, "try_run_sampling_request", 3), span(5, "stream", 4, events=[sent, cut]))
    [call] = steps(found, "model")
    assert call.error is not None
    assert call.error.message == "idle timeout"


SOCKET_COUNTS = {"input_token_count": "10", "output_token_count": "2"}


def test_records_of_a_socket_are_requests() -> None:
    found = run(
        bare(1, "codex.user_prompt", 0, prompt="How?"),
        bare(2, "codex.websocket_request", 5, 2, success="false", error__message="closed"),
        bare(3, "codex.websocket_request", 9, 2, success="true"),
        bare(4, "codex.sse_event", 12, **SOCKET_COUNTS),
    )
    failed, answered = steps(found, "model")
    assert failed.error is not None
    assert failed.error.message == "closed"
    assert (answered.error, answered.usage) == (None, Usage(10, 2))


def test_a_turn_that_makes_a_title_is_named_so() -> None:
    request_id = "temporary-structured-turn-d670"
    found = run(
        span(1, "turn/start", 0, (0, 5), rpc__request_id=request_id),
        span(2, "session_task.turn", 1, (1, 100)),
        span(3, "try_run_sampling_request", 2),
    )
    assert [agent.step.name for agent in found.agent_steps] == ["codex title"]
