"""Equal spans give equal bytes, whatever their order; and whatever they are, it adds up."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.ground_truth import Capture, all_captures
from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import with_projects
from tests.support.traces import KEY, traces

from spanloom.core.formats.canonical import encode_document, encode_spans
from spanloom.core.model.tenancy import Reach
from spanloom.core.model.trajectory import Kind, Status, StepType, Trajectory
from spanloom.core.ports.spans import SpooledRequest
from spanloom.extractor.extract import extract
from spanloom.extractor.extractor import Extractor
from spanloom.extractor.readiness import NS, Timing
from spanloom.telemetry import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.model.span import Span, TraceKey

CAPTURES = [c for c in all_captures() if len(c.truth["spans"]) > 8][::4]


def _bytes(key: TraceKey, spans: Iterable[Span]) -> bytes:
    trajectory = extract(key, spans)
    return encode_document(trajectory, 1, Status.SETTLED) + encode_spans(trajectory)


@given(traces(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=300)
def test_order_does_not_matter(spans: list[Span], chance: random.Random) -> None:
    shuffled = chance.sample(spans, len(spans))
    assert _bytes(KEY, shuffled) == _bytes(KEY, spans)


@given(traces())
@settings(deadline=None, max_examples=300)
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


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda c: c.id)
def test_captures_in_any_order_batching_and_repetition(capture: Capture) -> None:
    chance = random.Random(capture.id)
    in_order = [
        SpooledRequest(i, "", i * NS, with_projects(body), 0)
        for i, body in enumerate(capture.requests(), 1)
    ]
    mixed = [*chance.sample(in_order, len(in_order)), *chance.choices(in_order, k=3)]
    again = [SpooledRequest(i, "", i * NS, r.body, 0) for i, r in enumerate(mixed, 1)]
    assert _stored(again, chance) == _stored(in_order, chance)


def _stored(requests: Sequence[SpooledRequest], chance: random.Random) -> dict[str, bytes]:
    """Deliver in random batches, the extractor running in between; give the last documents."""
    store, now = MemoryStore(), [0]
    timing = Timing(root_quiet_s=0, no_root_quiet_s=0)
    extractor = Extractor(store, Metrics(), timing, clock=lambda: now[0], wall_clock=lambda: now[0])
    for start in range(0, len(requests), size := chance.randint(1, 3)):
        store.spans.append(requests[start : start + size])
        now[0] += 1_000 * NS
        extractor.run_once()
    now[0] += 1_000 * NS
    extractor.run_once()
    keys = sorted(c.key for c in store.progress.unextracted())
    return {
        key.trace_id: _without_version(store.documents.get(key.trace_id, Reach.ALL)) for key in keys
    }


def _without_version(document: bytes | None) -> bytes:
    assert document is not None
    before, _, after = document.rpartition(b'"extraction":{"version":')
    return before + after.lstrip(b"0123456789")
