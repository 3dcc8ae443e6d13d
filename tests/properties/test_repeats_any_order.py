"""Traces that repeat each other's calls, some above the span cap, are the same in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.extracting import World, sent, without_version
from tests.support.spans import chat, openinference

from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

CAP = 3
TRACES = ["ab" * 16, "cd" * 16, "ef" * 16]
TOKENS = {"llm.token_count.prompt": "7", "llm.token_count.completion": "3"}
KINDS = (
    {"gen_ai.operation.name": "invoke_agent"},
    chat(7, 3),
    chat(8, 3),
    {**openinference("LLM"), **TOKENS},
    openinference("CHAIN"),
)


@st.composite
def spans(draw: st.DrawFn) -> WireSpan:
    """Draw a span of one of few traces, so that one trace often repeats calls of another."""
    return sent(
        number := draw(st.integers(1, 5)),
        draw(st.integers(0, number - 1)),
        draw(st.sampled_from(KINDS)),
        draw(st.sampled_from(TRACES)),
        start_ms=10 * draw(st.integers(0, 2)),
        last_ms=draw(st.sampled_from([20, 60, 100])),
    )


def play(order: list[WireSpan], waits: list[bool]) -> dict[str, Any]:
    """Return the documents of all traces by id, after everything was delivered and came to rest."""
    world = World(max_trace_spans=CAP)
    for span, waits_here in zip(order, waits, strict=True):
        world.send(span)
        if waits_here:
            world.run(2, every=0.7)
    world.run(150, every=2)
    found = {trace_id: world.store.documents.get(trace_id, Reach.ALL) for trace_id in TRACES}
    return {trace_id: without_version(d) for trace_id, d in found.items() if d}


@settings(max_examples=examples(3000))
@given(
    st.lists(spans(), min_size=2, max_size=12, unique_by=lambda s: (s.trace_id, s.span_id)),
    st.data(),
)
def test_what_repeats_what_does_not_depend_on_the_order(
    some: list[WireSpan], data: st.DataObject
) -> None:
    mixed = data.draw(st.permutations(some))
    waits = data.draw(st.lists(st.booleans(), min_size=len(some), max_size=len(some)))
    assert play(mixed, waits) == play(some, [False] * len(some))
