"""A run with a person's answer is linked to the run that waited for it, in any arrival order."""

from __future__ import annotations

import gzip
from collections import defaultdict
from itertools import permutations
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.support.extracting import World, sent
from tests.support.filters import filtered
from tests.support.ground_truth import all_captures
from tests.support.spans import chat, genai

from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

RECORDED = Path(__file__).parents[2] / "fixtures" / "recorded"
FIRST, SECOND, THIRD = "a1" * 16, "b2" * 16, "c3" * 16
QUESTION = "(Interrupt(value='Wire 500 EUR?', id='1'),)"
ANSWER = '{"resume": "yes", "goto": []}'


@pytest.fixture
def world() -> World:
    return World()


def run(trace_id: str, start_ms: int, said: str = "hello") -> list[WireSpan]:
    """Return the spans of an agent that calls a model once."""
    asked = genai("invoke_agent", input__messages=said, conversation__id="bank")
    call = sent(3, 1, chat(5, 5, input__messages=f"{said} {start_ms}"), trace_id, start_ms)
    return [sent(1, 0, asked, trace_id, start_ms), call]


def waiting(trace_id: str, start_ms: int, said: str = "hello") -> list[WireSpan]:
    tool = sent(2, 1, genai("execute_tool"), trace_id, start_ms)
    event = tool.events.add(name="exception")
    for key, value in (("type", "langgraph.errors.GraphInterrupt"), ("message", QUESTION)):
        event.attributes.add(key=f"exception.{key}").value.string_value = value
    return [*run(trace_id, start_ms, said), tool]


def resuming(trace_id: str, start_ms: int) -> list[WireSpan]:
    return run(trace_id, start_ms, ANSWER)


def links(world: World) -> dict[str, str]:
    """Return which run resumes which, after checking that both runs of a link name each other."""
    lines = world.store.runs.list(Reach.ALL, None, 100)
    found = {line.key.trace_id: line.continuation for line in lines}
    resumed = {trace_id: one.resumes for trace_id, one in found.items() if one.resumes}
    back = {one.resumed_by: trace_id for trace_id, one in found.items() if one.resumed_by}
    assert resumed == back
    return resumed


def send_each(world: World, runs: Iterable[list[WireSpan]]) -> None:
    for spans in runs:
        world.send(*spans)
        world.run(3)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_run_that_waits_again_is_resumed_by_the_next(
    world: World, order: tuple[int, ...]
) -> None:
    """Each of two questions is answered by the next run, and no run is rebuilt for another one."""
    runs = [waiting(FIRST, 0), waiting(SECOND, 100, ANSWER), resuming(THIRD, 200)]
    send_each(world, [runs[n] for n in order])
    assert links(world) == {SECOND: FIRST, THIRD: SECOND}
    assert [world.said(trace_id)[0] for trace_id in (FIRST, SECOND, THIRD)] == [1, 1, 1]


def test_a_new_request_goes_on_with_nothing(world: World) -> None:
    send_each(world, [waiting(FIRST, 0), run(SECOND, 100), resuming(THIRD, 200)])
    assert links(world) == {}


def test_a_run_that_turns_out_not_to_wait_is_no_longer_resumed(world: World) -> None:
    send_each(world, [waiting(FIRST, 0), resuming(SECOND, 100)])
    assert links(world) == {SECOND: FIRST}
    world.send(sent(4, 1, genai("execute_tool"), FIRST, 20))  # the tool ran, so nothing waits
    world.run(3)
    assert links(world) == {}


def test_a_run_whose_root_comes_late_is_linked_when_it_has(world: World) -> None:
    root, *below = resuming(SECOND, 100)
    send_each(world, [waiting(FIRST, 0), below])
    assert links(world) == {}
    send_each(world, [[root]])
    assert links(world) == {SECOND: FIRST}


@pytest.mark.parametrize("teller", ["oi", "tl", "ls"])
def test_recorded_runs_of_langgraph(world: World, teller: str) -> None:
    body = recorded(f"s10_hitl-{teller}")
    world.send_message(body)
    world.run(100, every=50)
    assert roots_in_order(body) == list(*links(world).items())[::-1]


@pytest.mark.parametrize("seed", range(5))
def test_two_tellers_each_in_a_trace_of_its_own(world: World, seed: int) -> None:
    """Six traces report three runs, and the second run resumes the first, in any arrival order."""
    traces = by_trace("s10_hitl-ls+oi")
    Random(seed).shuffle(traces)
    for body in traces:
        world.send_message(body)
        world.run(3)
    lines = world.store.runs.list(Reach.ALL, filtered(duplicate=False), 100)
    asked = {line.run.question: line.key.trace_id for line in lines}
    assert links(world) == {asked["yes"]: asked["Send Bob 500"]}
    [talk] = world.store.conversations.list(Reach.ALL, None, 10)
    assert (talk.item.runs, talk.item.last_run.trace_id) == (3, asked["And what is left?"])


@pytest.mark.parametrize("name", ["js-langfuse", "eino-langfuse"])
def test_captured_runs(world: World, name: str) -> None:
    [capture] = [c for c in all_captures() if c.id == f"{name}/interrupt_resume"]
    for body in capture.requests():
        world.send_message(body)
    world.run(100, every=50)
    assert len(links(world)) == 1


def recorded(name: str) -> bytes:
    return gzip.decompress((RECORDED / f"{name}.otlp.gz").read_bytes())


def by_trace(name: str) -> list[bytes]:
    """Return one OTLP request for each trace of a recording."""
    messages: defaultdict[bytes, TracesData] = defaultdict(TracesData)
    for group in TracesData.FromString(recorded(name)).resource_spans:
        for scope in group.scope_spans:
            for span in scope.spans:
                own = messages[span.trace_id].resource_spans.add(resource=group.resource)
                own.scope_spans.add(scope=scope.scope, spans=[span])
    return [message.SerializeToString() for message in messages.values()]


def spans_of(body: bytes) -> list[WireSpan]:
    scopes = [s for r in TracesData.FromString(body).resource_spans for s in r.scope_spans]
    return [span for scope in scopes for span in scope.spans]


def roots_in_order(body: bytes) -> list[str]:
    """Return the trace ids of the runs by start time, except roots named ``create_agent``."""
    roots = [span for span in spans_of(body) if not span.parent_span_id]
    roots.sort(key=lambda span: span.start_time_unix_nano)
    return [span.trace_id.hex() for span in roots if not span.name.startswith("create_agent")]
