"""Every model call counts once, however many instrumentations and wrappers report it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.spans import chat, extract_spans, genai, make_span, sid

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

FRAMEWORK, WRAPPER, CLIENT, GATEWAY, PROXY = "framework", "wrapper", "client", "gateway", "proxy"


@dataclass
class World:
    """A tree of spans under construction, and the tokens of the model calls that happened."""

    spans: list[Span] = field(default_factory=list)
    calls: list[tuple[int, int]] = field(default_factory=list)
    clock: float = 0
    most_twins: int = 3
    """How many other instrumentations may report a model call; if only one, no wrapper does."""

    @property
    def parts(self) -> list[str]:
        return ["call", "retried", "run"] if self.most_twins > 1 else ["call", "run"]

    def add(self, parent: int, said: dict[str, str], scope: str, start: float, end: float) -> int:
        number = len(self.spans) + 1
        self.spans.append(make_span(number, parent, said, scope=scope, start=start, end=end))
        return number


def usage(tokens: tuple[int, int], response: str) -> dict[str, str]:
    return chat(*tokens, response__id=response) if response else chat(*tokens)


@st.composite
def call(draw: st.DrawFn, world: World, parent: int) -> None:
    """Add a model call: the framework's span, and perhaps spans of others for the same call."""
    tokens = (draw(st.integers(1, 500)), draw(st.integers(1, 500)))
    world.calls.append(tokens)
    start = world.clock
    world.clock += 10
    response = draw(st.sampled_from(["", f"r{len(world.calls)}"]))
    own = world.add(parent, usage(tokens, response), FRAMEWORK, start, start + 8)
    where = draw(st.sets(st.sampled_from(["below", "deeper", "beside"]), max_size=world.most_twins))
    if "below" in where:
        world.add(own, usage(tokens, response), CLIENT, start + 1, start + 7)
    if "deeper" in where:
        noise = world.add(own, {}, "http", start + 1, start + 7)
        world.add(noise, usage(tokens, response), GATEWAY, start + 2, start + 6)
    if "beside" in where and parent:
        world.add(parent, usage(tokens, response), PROXY, start + 1, start + 7)


@st.composite
def retried(draw: st.DrawFn, world: World, parent: int) -> None:
    """Add a wrapper span that looks like a model call, around the calls that it made."""
    at, start = len(world.spans), world.clock
    number = world.add(parent, {}, WRAPPER, start, start)
    for _ in range(draw(st.integers(2, 3))):
        draw(call(world, number))
    world.clock += 1
    world.spans[at] = make_span(number, parent, chat(), scope=WRAPPER, start=start, end=world.clock)


@st.composite
def run(draw: st.DrawFn, world: World, parent: int, depth: int) -> None:
    """Add an agent, graph, tool or plain span with model calls and other such spans inside."""
    at = len(world.spans)
    start, before = world.clock, len(world.calls)
    number = world.add(parent, {}, FRAMEWORK, start, start)
    for _ in range(draw(st.integers(0, 3))):
        what = draw(st.sampled_from(world.parts if depth else world.parts[:-1]))
        inner = {"call": call, "retried": retried}.get(what)
        draw(inner(world, number) if inner else run(world, number, depth - 1))
    inside = world.calls[before:]
    operation = draw(st.sampled_from(["", "invoke_agent", "invoke_workflow", "execute_tool"]))
    said: dict[str, str] = genai(operation) if operation else {}
    repeats: bool = draw(st.booleans())
    if said and repeats:  # agents and graphs report sums
        total = [sum(counts) for counts in zip(*inside, strict=True)] or [0, 0]
        said = {
            **said,
            "gen_ai.usage.input_tokens": str(total[0]),
            "gen_ai.usage.output_tokens": str(total[1]),
        }
    world.clock += 1
    world.spans[at] = make_span(number, parent, said, scope=FRAMEWORK, start=start, end=world.clock)


@st.composite
def worlds(draw: st.DrawFn, most_twins: int = 3) -> World:
    world = World(most_twins=most_twins)
    draw(run(world, 0, 3))
    return world


@given(worlds())
@settings(deadline=None, max_examples=examples(300))
def test_totals_are_the_sum_of_the_distinct_calls(world: World) -> None:
    trajectory = extract_spans(*world.spans)
    total = trajectory.root_metrics
    assert total.input_tokens == sum(read for read, _ in world.calls)
    assert total.output_tokens == sum(written for _, written in world.calls)
    assert trajectory.step_counts["model"] == len(world.calls)
    owned = Counter(step.id for agent in trajectory.agent_steps for step in agent.steps)
    kept = {v.span_id for v in trajectory.verdicts if v.step_id == v.span_id}
    agents = {agent.step.id for agent in trajectory.agent_steps}
    assert set(owned) | agents | {trajectory.root.id} >= kept
    assert set(owned.values()) <= {1}


@given(worlds(most_twins=1), st.data())
@settings(deadline=None, max_examples=examples(200))
def test_totals_never_exceed_them_whatever_is_lost(world: World, data: st.DataObject) -> None:
    """Calls have one other report at most: between two, a lost span may be the only link."""
    kept = data.draw(st.lists(st.sampled_from(world.spans), min_size=1, unique_by=id))
    trajectory = extract_spans(*kept)
    assert trajectory.root_metrics.input_tokens <= sum(read for read, _ in world.calls)
    assert trajectory.step_counts["model"] <= len(world.calls)
    owned = [s.id for agent in trajectory.agent_steps for s in agent.steps]
    assert len(owned) == len(set(owned))
    assert set(owned) <= {sid(n) for n in range(1, len(world.spans) + 1)}
