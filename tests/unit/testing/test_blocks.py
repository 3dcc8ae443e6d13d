"""Traces are assigned to blocks, here without pytest and without OpenTelemetry."""

from __future__ import annotations

import threading
from typing import Any

from spanloom.testing.blocks import Block, Blocks

A, B = "a" * 32, "b" * 32
Json = dict[str, Any]


def group(trace_id: str, span_id: str = "1", parent: str = "") -> Json:
    span = {"traceId": trace_id, "spanId": span_id, "parentSpanId": parent, "name": span_id}
    return {"resource": {}, "scopeSpans": [{"scope": {"name": "s"}, "spans": [span]}]}


def traces_of(block: Block) -> list[str]:
    return [one["scopeSpans"][0]["spans"][0]["traceId"] for one in block.groups]


def run(blocks: Blocks, trace_id: str, within: Block | None = None) -> None:
    blocks.start(trace_id, "1", "act", within)
    blocks.finish(trace_id, "1", group(trace_id))


def test_the_context_decides_then_the_only_open_block() -> None:
    blocks = Blocks()
    first, second = blocks.begin(), blocks.begin()
    run(blocks, A, second)
    blocks.end(first, 0)
    run(blocks, B)
    assert traces_of(first) == []
    assert traces_of(second) == [A, B]


def test_without_a_context_a_trace_of_several_open_blocks_is_of_none() -> None:
    blocks = Blocks()
    first, second = blocks.begin(), blocks.begin()
    run(blocks, A)
    assert first.unattributed == second.unattributed == {A: "act"}
    assert first.groups == second.groups == []


def test_a_trace_stays_with_the_block_in_which_its_root_started() -> None:
    blocks = Blocks()
    first = blocks.begin()
    blocks.start(A, "1", "act", None)
    blocks.end(first, 0)
    assert first.running == {(A, "1"): "act"}
    second = blocks.begin()
    run(blocks, A, second)
    assert second.groups == []
    assert traces_of(first) == [A]


def test_a_trace_that_began_before_every_block_is_of_none_and_is_named() -> None:
    blocks = Blocks()
    blocks.start(A, "1", "around", None)
    block = blocks.begin()
    blocks.start(A, "2", "act", block)
    blocks.finish(A, "2", group(A, "2"))
    assert block.groups == []
    assert block.outside == {A: "act"}


def test_the_end_waits_for_spans_of_other_threads() -> None:
    blocks = Blocks()
    block = blocks.begin()
    blocks.start(A, "1", "act", None)
    thread = threading.Thread(target=blocks.finish, args=(A, "1", group(A)))
    thread.start()
    blocks.end(block, 60)
    assert traces_of(block) == [A]
    thread.join()


def test_the_end_waits_for_the_root_of_a_received_trace() -> None:
    blocks = Blocks()
    blocks.receivers = 1
    block = blocks.begin()
    assert not block.is_whole
    blocks.receive([group(A, "2", parent="1")])
    assert not block.is_whole
    blocks.receive([group(A, "1")])
    assert block.is_whole
    blocks.end(block, 60)
    assert traces_of(block) == [A, A]


def test_a_request_of_several_traces_is_taken_apart() -> None:
    blocks = Blocks()
    other = blocks.begin()
    blocks.start(B, "9", "act", other)
    blocks.end(other, 0)
    block = blocks.begin()
    both = group(A)
    both["scopeSpans"][0]["spans"] += group(B)["scopeSpans"][0]["spans"]
    blocks.receive([both])
    assert traces_of(block) == [A]
    assert traces_of(other) == [B]


def test_a_forgotten_block_gets_no_more_spans() -> None:
    blocks = Blocks()
    block = blocks.begin()
    run(blocks, A)
    blocks.end(block, 0)
    blocks.forget(block)
    blocks.receive([group(A, "2")])
    assert traces_of(block) == [A]
