"""Extraction of any spans ends, depends only on the spans, and neither loses nor repeats any."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import jsonschema
import orjson
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.span_strategies import traces
from tests.support.spans import KEY

from spanloom.core.dialects.registry import normalize
from spanloom.core.duplicates.traces import list_calls
from spanloom.core.extract import extract
from spanloom.core.formats.canonical import encode_document, encode_spans, without_version
from spanloom.core.formats.schema import canonical_schema
from spanloom.core.model.step import StepType, Usage
from spanloom.core.model.trajectory import Kind, Status, Trajectory
from spanloom.core.model.tree import SpanTree

if TYPE_CHECKING:
    from random import Random

    from spanloom.core.model.span import Span


def encoded(trajectory: Trajectory) -> tuple[bytes, bytes]:
    return encode_document(trajectory, 1, Status.SETTLED), encode_spans(trajectory)


@given(traces(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=examples(100))
def test_any_order_gives_the_same_bytes(spans: list[Span], random: Random) -> None:
    expected = encoded(extract(KEY, spans))
    for _ in range(3):
        random.shuffle(spans)
        assert encoded(extract(KEY, spans)) == expected


@given(traces())
@settings(deadline=None, max_examples=examples(100))
def test_the_document_follows_the_schema(spans: list[Span]) -> None:
    trajectory = extract(KEY, spans)
    document, _ = encoded(trajectory)
    later = encode_document(trajectory, 12, Status.SETTLED)
    assert without_version(document) == without_version(later)
    jsonschema.validate(orjson.loads(document), canonical_schema(), jsonschema.Draft7Validator)
    list_calls(trajectory)


@given(traces())
@settings(deadline=None, max_examples=examples(100))
def test_every_span_has_one_verdict_and_every_step_one_owner(spans: list[Span]) -> None:
    trajectory = extract(KEY, spans)
    assert Counter(v.span_id for v in trajectory.verdicts) == Counter(s.span_id for s in spans)
    steps = {v.step_id for v in trajectory.verdicts if v.step_id is not None}
    own = {v.span_id: v for v in trajectory.verdicts if v.step_id == v.span_id}
    assert steps == own.keys()
    assert Kind.OTHER not in {v.kind for v in own.values()}
    owned = Counter(s.id for agent in trajectory.agent_steps for s in agent.steps)
    is_above_all = trajectory.root_type in (Kind.AGENT, Kind.GRAPH)
    assert owned == Counter(steps - ({trajectory.root.id} if is_above_all else set()))


@given(traces())
@settings(deadline=None, max_examples=examples(100))
def test_agents_stand_once_beside_each_other_and_once_as_step(spans: list[Span]) -> None:
    trajectory = extract(KEY, spans)
    agents = [a.step.id for a in trajectory.agent_steps]
    assert len(agents) == len(set(agents))
    kinds = {v.span_id: v.kind for v in trajectory.verdicts if v.step_id == v.span_id}
    known = {span_id for span_id, kind in kinds.items() if kind is Kind.AGENT}
    assert known | {trajectory.root.id} >= set(agents) >= known
    as_steps = {s.id for a in trajectory.agent_steps for s in a.steps if s.type is StepType.AGENT}
    assert as_steps == known - {trajectory.root.id}
    for agent in trajectory.agent_steps:
        order = [(s.start_ns, s.end_ns, s.id) for s in agent.steps]
        assert order == sorted(order)


@given(traces())
@settings(deadline=None, max_examples=examples(100))
def test_steps_and_tokens_add_up(spans: list[Span]) -> None:
    trajectory = extract(KEY, spans)
    assert sum(trajectory.step_counts.values()) == trajectory.span_count == len(spans)
    assert min(trajectory.step_counts.values()) >= 0
    metrics, nothing = trajectory.root_metrics, Usage()
    models = [n for n in normalize(SpanTree(spans)) if n.kind is Kind.MODEL]
    assert metrics.input_tokens <= sum((n.facts.usage or nothing).input_tokens for n in models)
    assert metrics.output_tokens <= sum((n.facts.usage or nothing).output_tokens for n in models)
    owned = {s.id: s for a in trajectory.agent_steps for s in a.steps}
    calls = [s for s in owned.values() if s.type is StepType.MODEL]
    assert metrics.input_tokens == sum((s.usage or nothing).input_tokens for s in calls)
    assert len(calls) == trajectory.step_counts["model"]


@given(traces())
@settings(deadline=None, max_examples=examples(100))
def test_every_step_hangs_below_another_and_at_last_below_the_root(spans: list[Span]) -> None:
    trajectory = extract(KEY, spans)
    above = {s.id: s.parent_id for a in trajectory.agent_steps for s in a.steps}
    for step_id in above:
        seen, here = set(), step_id
        while here != trajectory.root.id:
            assert here not in seen
            seen.add(here)
            here = above[here]
