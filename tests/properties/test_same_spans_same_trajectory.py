"""Equal spans give equal bytes in any order; every span, step and token counts exactly once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.traces import KEY, traces

from spanloom.core.extract import extract
from spanloom.core.formats.canonical import encode_document, encode_spans
from spanloom.core.model.step import StepType
from spanloom.core.model.trajectory import Kind, Status, Trajectory

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from spanloom.core.model.span import Span, TraceKey


def _bytes(key: TraceKey, spans: Iterable[Span]) -> bytes:
    trajectory = extract(key, spans)
    return encode_document(trajectory, 1, Status.SETTLED) + encode_spans(trajectory)


@given(traces(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=examples(300))
def test_order_does_not_matter(spans: list[Span], chance: random.Random) -> None:
    shuffled = chance.sample(spans, len(spans))
    assert _bytes(KEY, shuffled) == _bytes(KEY, spans)


@given(traces())
@settings(deadline=None, max_examples=examples(300))
def test_nothing_is_lost_and_nothing_counts_twice(spans: list[Span]) -> None:
    trajectory = extract(KEY, spans)
    assert [v.span_id for v in trajectory.verdicts] == [
        s.span_id for s in sorted(spans, key=lambda s: (s.start_ns, s.span_id))
    ]
    _check_steps(trajectory)
    assert sum(trajectory.step_counts.values()) == len(spans) == trajectory.span_count


def _check_steps(trajectory: Trajectory) -> None:
    kept = {v.span_id for v in trajectory.verdicts if v.step_id == v.span_id}
    merged = {v.step_id for v in trajectory.verdicts if v.step_id not in (None, v.span_id)}
    placed = Counter(s.id for a in trajectory.agent_steps for s in a.steps)
    root_is_own_step = trajectory.root_type in (Kind.AGENT, Kind.GRAPH)
    expected = kept - {trajectory.root.id} if root_is_own_step else kept
    assert set(placed) == expected
    assert set(placed.values()) <= {1}
    assert merged <= kept
    models = [s for a in trajectory.agent_steps for s in a.steps if s.type is StepType.MODEL]
    assert trajectory.root_metrics.input_tokens == sum(
        s.usage.input_tokens for s in models if s.usage
    )
