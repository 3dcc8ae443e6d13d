"""Captured runs, changed: names decide nothing, and a lost attribute costs what it alone told."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.ground_truth import Capture, all_captures
from tests.support.mutations import (
    extract_all,
    largest_of_each_dialect,
    new_names,
    outline,
    renamed,
    traces_of,
    without,
)
from tests.support.otlp_requests import spooled

from spanloom.core.formats.canonical import encode_document, encode_spans
from spanloom.core.model.trajectory import Status
from spanloom.extractor.extract import extract
from spanloom.storage.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Trajectory

CAPTURES = list(all_captures())
LARGEST = largest_of_each_dialect()
PAIRS = list(zip(LARGEST, [*LARGEST[1:], LARGEST[0]], strict=True))

TEXTS = re.compile(
    r"(?<!token_count)\.(input|output|messages|content|value|prompt|completion|arguments|result|description"
    r"|definitions|instructions|temperature|finish_reasons?|user\.id|session\.id)$"
)
ONLY_THERE = {
    "langfuse.observation.input",  # of Eino's callback: it tells a graph from what it consists of
    "traceloop.entity.input",  # of the generation around 0.40: it holds LangChain's run metadata
}
CORRECTIONS = {
    # Google ADK over LiteLLM counts reasoning twice; these tell that, and how much it is.
    "gen_ai.provider.name",
    "gen_ai.usage.reasoning.output_tokens",
}


def tokens(trajectories: Iterable[Trajectory]) -> tuple[int, int]:
    own = [t.root_metrics for t in trajectories]
    return sum(m.input_tokens for m in own), sum(m.output_tokens for m in own)


def same(span: Span) -> Span:
    return span


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda c: c.id)
def test_names_decide_nothing(capture: Capture) -> None:
    traces = traces_of(capture)
    plain = extract_all(traces, same)
    assert outline(extract_all(traces, renamed(new_names(capture)))) == outline(plain)


@pytest.mark.parametrize("capture", LARGEST, ids=lambda c: c.id)
def test_a_lost_attribute_adds_nothing_and_a_lost_text_changes_no_step(capture: Capture) -> None:
    traces = traces_of(capture)
    plain = extract_all(traces, same)
    for key in sorted({k for spans in traces.values() for s in spans for k in s.attributes}):
        left = extract_all(traces, without(key))
        assert [len(t.verdicts) for t in left] == [len(t.verdicts) for t in plain]
        if key not in CORRECTIONS:
            assert tokens(left) <= tokens(plain), key
        if TEXTS.search(key) and key not in ONLY_THERE:
            assert outline(left) == outline(plain), key


def single_spans(capture: Capture) -> Iterator[bytes]:
    """Give every span as a request of its own."""
    for body in capture.requests():
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in group.scope_spans:
                for span in scope.spans:
                    alone = ExportTraceServiceRequest()
                    part = alone.resource_spans.add(resource=group.resource)
                    part.scope_spans.add(scope=scope.scope, spans=[span])
                    yield alone.SerializeToString()


def documents(bodies: Iterable[bytes]) -> Mapping[str, tuple[bytes, bytes]]:
    store = MemoryStore()
    store.append([spooled(body, "p") for body in bodies])
    traces = store.read_spans([change.key for change in store.changes_since(-1)])
    built = {key.trace_id: extract(key, spans) for key, spans in traces.items()}
    return {i: (encode_document(t, 1, Status.SETTLED), encode_spans(t)) for i, t in built.items()}


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=lambda c: c.id)
def test_two_runs_that_arrive_span_by_span_in_any_order_and_again(
    one: Capture, other: Capture
) -> None:
    chance = random.Random(one.id)
    mixed = [*single_spans(one), *single_spans(other)]
    mixed += chance.sample(mixed, len(mixed) // 5)
    chance.shuffle(mixed)
    assert documents(mixed) == documents([*one.requests(), *other.requests()])
