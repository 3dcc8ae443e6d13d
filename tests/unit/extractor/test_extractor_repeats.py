"""A call that two traces report is marked as a repeat in one, whichever trace comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.extracting import TRACE, World, sent
from tests.support.ground_truth import Capture
from tests.support.spans import chat, openinference

from spanloom.core.model.message import make_message

if TYPE_CHECKING:
    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

OTHER = "cd" * 16
FRAMEWORK = [
    sent(1, attributes={"gen_ai.operation.name": "invoke_agent"}, last_ms=100),
    sent(2, 1, chat(7, 3), last_ms=90),
]
CLIENT = sent(1, attributes=chat(7, 3), trace_id=OTHER, start_ms=10, last_ms=20)
ORPHANED_CLIENT = sent(1, 9, attributes=chat(7, 3), trace_id=OTHER, start_ms=10, last_ms=20)
OPENINFERENCE_CALL = {
    **openinference("LLM"),
    "llm.token_count.prompt": "7",
    "llm.token_count.completion": "3",
}


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize("order", ["framework first", "client first", "together"])
def test_a_call_reported_in_two_traces_is_marked_in_any_order(world: World, order: str) -> None:
    if order != "client first":
        world.send(*FRAMEWORK)
    if order != "framework first":
        world.send(CLIENT)
    world.run(2)
    world.send(*(FRAMEWORK if order == "client first" else [CLIENT]))
    world.run(2)
    said = world.document(OTHER)["extraction"]
    assert said["duplicate_of"] == {"trace_id": TRACE, "span_id": "0" * 15 + "2"}
    assert "duplicate_of" not in world.document(TRACE)["extraction"]
    assert world.step(60) == 0


def test_a_repeat_is_marked_though_the_process_ended_when_its_original_was_built(
    world: World,
) -> None:
    world.send(CLIENT)
    world.run(2)
    world.send(*FRAMEWORK)
    while not world.said(TRACE)[0]:
        world.step(0.2)
    assert "duplicate_of" not in world.document(OTHER)["extraction"]
    world.restart()
    world.run(61)
    assert "duplicate_of" in world.document(OTHER)["extraction"]
    assert world.said(OTHER)[1] == "settled"
    assert world.step(60) == 0


@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("cause", ["displaced", "changed"])
def test_a_repeat_whose_original_no_longer_has_the_call_is_a_run_again(
    cause: str, is_restarted: bool
) -> None:
    """A late span displaces the call from a trace above the span limit, or the call changes."""
    world = World(max_trace_spans=2)
    early = sent(3, 1, start_ms=1, last_ms=2)
    world.send(*FRAMEWORK[:1], sent(2, 1, chat(7, 3), start_ms=5, last_ms=90))
    world.send(CLIENT)
    world.run(2)
    assert "duplicate_of" in world.document(OTHER)["extraction"]
    changed = sent(2, 1, chat(8, 3), start_ms=5, last_ms=90)
    world.send(early if cause == "displaced" else changed)
    if is_restarted:
        world.restart()
    world.run(2)
    assert "duplicate_of" not in world.document(OTHER)["extraction"]
    assert world.said(OTHER)[1] == "settled"
    assert world.step(60) == 0


@pytest.mark.parametrize("first", ["outer", "inner"])
def test_of_two_bare_reports_in_two_dialects_one_is_marked_in_any_order(
    world: World, first: str
) -> None:
    outer = sent(1, attributes=OPENINFERENCE_CALL, last_ms=100)
    for span in (outer, CLIENT) if first == "outer" else (CLIENT, outer):
        world.send(span)
        world.run(2)
    said = world.document(OTHER)["extraction"]
    assert said["duplicate_of"] == {"trace_id": TRACE, "span_id": "0" * 15 + "1"}
    assert "duplicate_of" not in world.document(TRACE)["extraction"]
    assert world.step(60) == 0


def test_a_duplicate_without_a_root_stays_partial(world: World) -> None:
    world.send(ORPHANED_CLIENT)
    world.run(61)
    assert world.said(OTHER)[:2] == (2, "partial")
    world.send(*FRAMEWORK)
    world.run(2)
    assert world.said(OTHER)[:2] == (3, "partial")
    assert "duplicate_of" in world.document(OTHER)["extraction"]


def test_an_original_that_is_built_again_leaves_its_duplicates_as_they_are(world: World) -> None:
    world.send(*FRAMEWORK, CLIENT)
    world.step(1)
    world.send(sent(3, 1))
    world.run(2)
    assert world.said(TRACE)[0] == 2
    assert world.said(OTHER)[0] == 1


def run_of_two_calls(trace_id: str, late_ms: int, *, openinference_tells: bool) -> list[WireSpan]:
    """Return an agent's run with two model calls, in OpenInference's or the GenAI conventions."""
    if openinference_tells:
        agent, call = openinference("AGENT"), OPENINFERENCE_CALL
    else:
        agent, call = {"gen_ai.operation.name": "invoke_agent"}, chat(7, 3)
    times = ((0, 100), (10, 30), (50, 30))
    return [
        sent(
            n + 1,
            1 if n else 0,
            attributes=call if n else agent,
            trace_id=trace_id,
            start_ms=start + late_ms,
            last_ms=lasts,
        )
        for n, (start, lasts) in enumerate(times)
    ]


@pytest.mark.parametrize("order", ["first", "second", "together"])
def test_a_run_that_two_tell_in_traces_of_their_own_counts_once_in_any_order(
    world: World, order: str
) -> None:
    began_first = run_of_two_calls(TRACE, 0, openinference_tells=True)
    again = run_of_two_calls(OTHER, 1, openinference_tells=False)
    for spans in {
        "first": [began_first, again],
        "second": [again, began_first],
        "together": [began_first + again],
    }[order]:
        world.send(*spans)
        world.run(2)
    said = world.document(OTHER)["extraction"]
    assert said["duplicate_of"] == {"trace_id": TRACE, "span_id": "0" * 15 + "2"}
    assert "duplicate_of" not in world.document(TRACE)["extraction"]
    assert world.step(60) == 0


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_reports_of_a_run_that_counts_which_has_more_calls(world: World, order: int) -> None:
    less = run_of_two_calls(TRACE, 0, openinference_tells=True)[:2]
    more = run_of_two_calls(OTHER, 1, openinference_tells=False)
    for spans in [less, more][::order]:
        world.send(*spans)
        world.run(2)
    assert world.document(TRACE)["extraction"]["duplicate_of"]["trace_id"] == OTHER
    assert "duplicate_of" not in world.document(OTHER)["extraction"]


def test_runs_of_one_instrumentation_that_are_alike_are_two_runs(world: World) -> None:
    for trace_id in (TRACE, OTHER):
        world.send(*run_of_two_calls(trace_id, 0, openinference_tells=False))
    world.run(2)
    for trace_id in (TRACE, OTHER):
        assert "duplicate_of" not in world.document(trace_id)["extraction"]


@pytest.mark.parametrize("order", [1, -1])
def test_an_agents_run_is_no_repeat_of_its_clients_call(world: World, order: int) -> None:
    agent = run_of_two_calls(TRACE, 1, openinference_tells=True)[:2]
    client = sent(1, attributes=chat(7, 3), trace_id=OTHER, start_ms=10, last_ms=31)
    for spans in [agent, [client]][::order]:
        world.send(*spans)
        world.run(2)
    assert "duplicate_of" not in world.document(TRACE)["extraction"]


def tool(name: str = "weather", asked: str = '{"city":"Oslo"}') -> dict[str, str]:
    said = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    return {**said, "gen_ai.tool.call.arguments": asked}


def run_with_a_tool(asked: str = "Oslo") -> list[WireSpan]:
    """Return an agent's run with a model call and a tool, in OpenInference's conventions."""
    ran = {**openinference("TOOL"), "tool.name": "weather", "input.value": asked}
    last = sent(3, 1, ran, start_ms=50, last_ms=30)
    return [*run_of_two_calls(TRACE, 0, openinference_tells=True)[:2], last]


def torn_off(number: int = 1, start_ms: int = 51, **told: str) -> WireSpan:
    """Return the tool's span in a trace of its own, below a parent span that is never sent."""
    return sent(number, 99, tool(**told), trace_id=OTHER, start_ms=start_ms, last_ms=28)


@pytest.mark.parametrize("order", ["run first", "tool first", "together"])
def test_a_tool_in_a_trace_of_its_own_repeats_that_of_the_run_in_any_order(
    world: World, order: str
) -> None:
    run, alone = run_with_a_tool(), [torn_off()]
    both = {"run first": [run, alone], "tool first": [alone, run], "together": [run + alone]}
    for spans in both[order]:
        world.send(*spans)
        world.run(61)
    said = world.document(OTHER)["extraction"]
    assert said["duplicate_of"] == {"trace_id": TRACE, "span_id": "0" * 15 + "3"}
    assert "duplicate_of" not in world.document(TRACE)["extraction"]
    assert world.step(120) == 0


@pytest.mark.parametrize(
    "alone",
    [
        [torn_off(name="forecast")],
        [torn_off(asked='{"city":"Bergen"}')],
        [torn_off(start_ms=90)],
        [torn_off(), torn_off(2, asked='{"city":"Bergen"}')],
        [torn_off(), torn_off(2)],
        [sent(1, 99, chat(9, 9), trace_id=OTHER, last_ms=90), torn_off(2)],
    ],
    ids=["another tool", "asked otherwise", "later", "and another", "twice", "with a call"],
)
def test_other_tools_at_the_same_time_count(world: World, alone: list[WireSpan]) -> None:
    for spans in (run_with_a_tool(), alone):
        world.send(*spans)
        world.run(61)
    assert "duplicate_of" not in world.document(OTHER)["extraction"]


def test_a_tool_that_runs_alone_counts_however_often_it_runs(world: World) -> None:
    """A tool server reports nothing but its tools, and two servers may run one tool at a time."""
    ran = {**openinference("TOOL"), "tool.name": "weather", "input.value": "Oslo"}
    world.send(torn_off(), sent(1, 99, ran, start_ms=50, last_ms=30))
    world.run(61)
    for trace_id in (TRACE, OTHER):
        assert "duplicate_of" not in world.document(trace_id)["extraction"]


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_reports_of_a_run_that_counts_which_tells_more(world: World, order: int) -> None:
    poor = run_of_two_calls(TRACE, 0, openinference_tells=True)
    rich = run_of_two_calls(OTHER, 1, openinference_tells=False)
    for span in rich[1:]:
        span.attributes.add(key="gen_ai.usage.reasoning_tokens").value.string_value = "2"
    for spans in [poor, rich][::order]:
        world.send(*spans)
        world.run(2)
    assert world.document(TRACE)["extraction"]["duplicate_of"]["trace_id"] == OTHER
    assert "duplicate_of" not in world.document(OTHER)["extraction"]
    assert world.step(60) == 0


def test_a_run_names_the_twin_of_its_first_call_whatever_is_stored(world: World) -> None:
    """The original run may begin with a call that the repeat's instrumentation missed."""
    whole = run_of_two_calls(TRACE, 0, openinference_tells=True)
    later = run_of_two_calls(OTHER, 1, openinference_tells=False)
    world.send(*whole, later[0], later[2])
    world.run(2)
    said = world.document(OTHER)["extraction"]
    assert said["duplicate_of"] == {"trace_id": TRACE, "span_id": "0" * 15 + "3"}


def test_two_runs_of_one_script_recorded_side_by_side_are_two_runs(world: World) -> None:
    """Two processes with different instrumentations ran the script within four milliseconds."""
    captures = [Capture(d, "react_tools") for d in ("langsmith", "openinference-langchain")]
    for capture in captures:
        for body in capture.requests():
            world.send_message(body)
    for _ in range(2):
        world.step(100)
    for trace_id in (trace_id for capture in captures for trace_id in capture.spans_by_trace):
        extraction = world.document(trace_id)["extraction"]
        assert extraction["step_counts"]["model"] == 3
        assert "duplicate_of" not in extraction


def said(question: str, answer: str) -> dict[str, str]:
    return {
        "gen_ai.input.messages": make_message(question, "user"),
        "gen_ai.output.messages": make_message(answer, "assistant"),
    }


@pytest.mark.parametrize(
    ("question", "answer", "is_repeat"),
    [
        ("Is mail A spam?", "no", True),
        ("Is ticket 7 urgent?", "no", False),
        ("Is mail A spam?", "yes", False),
    ],
)
def test_another_call_at_the_same_time_with_equal_counts_is_no_repeat(
    world: World, question: str, answer: str, *, is_repeat: bool
) -> None:
    run, call = FRAMEWORK[0], {**chat(58, 1), **said("Is mail A spam?", "no")}
    world.send(run, sent(2, 1, call, last_ms=90))
    world.run(2)
    other = {**chat(58, 1), **said(question, answer)}
    world.send(sent(1, attributes=other, trace_id=OTHER, start_ms=10, last_ms=20))
    world.run(2)
    assert ("duplicate_of" in world.document(OTHER)["extraction"]) is is_repeat
