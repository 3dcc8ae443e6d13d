"""Extractors find all spans in spite of wrong clocks, late visible rows and restarts.

In any order, every trace becomes a trajectory of all its spans, also if several extractors share
the traces and disagree for a while about which has which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.extracting import World, key_of, sent
from tests.support.otlp_requests import message_of

from spanloom.core.sharing import SLICES, slice_of
from spanloom.extractor.readiness import NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.sharing import Slices
    from spanloom.extractor.extractor import Extractor

TRACES = [f"{n:032x}" for n in range(1, 5)]
AHEAD_S = (-86_400, -600, -3, 0, 0, 0, 3, 600, 86_400)
SETTLED_S = 400


class Insert(NamedTuple):
    """Spans of a trace that a collector inserts; its clock may be ahead, the rows visible late."""

    trace: int
    first: int
    spans: int
    ahead_s: int
    late_s: int


INSERTS = st.builds(
    Insert,
    trace=st.integers(0, len(TRACES) - 1),
    first=st.integers(1, 6),
    spans=st.integers(1, 3),
    ahead_s=st.sampled_from(AHEAD_S),
    late_s=st.sampled_from((0, 0, 0, 1, 15, 70, 600)),
)
WAITS = st.sampled_from((0.2, 1.0, 5.0, 31.0, 61.0, 1000.0))
STEPS = st.one_of(INSERTS, WAITS, st.just("restart"))


class Collectors(World):
    """A simulated service with collectors that store spans, each by its own clock."""

    def __init__(self) -> None:
        super().__init__()
        self.spans: dict[str, set[int]] = {}

    def do(self, step: Insert | float | str) -> None:
        if isinstance(step, Insert):
            self._insert(step)
        elif isinstance(step, str):
            self.restart()
        else:
            self.step(step)

    def _insert(self, step: Insert) -> None:
        trace_id, numbers = TRACES[step.trace], range(step.first, step.first + step.spans)
        self.spans.setdefault(trace_id, set()).update(numbers)
        spans = [sent(n, 0 if n == 1 else 1, trace_id=trace_id) for n in numbers]
        seq = (self.now_ns + step.ahead_s * NS) // 1000
        self.insert_late(step.late_s, message_of(spans).SerializeToString(), seq)


@given(st.lists(STEPS, max_size=25))
@settings(deadline=None, max_examples=examples(300))
def test_every_trace_is_built_from_all_its_spans(steps: Sequence[Insert | float | str]) -> None:
    world = Collectors()
    for step in steps:
        world.do(step)
    world.run(SETTLED_S, every=10)
    built = {trace_id: world.said(trace_id)[2] for trace_id in world.spans}
    assert built == {trace_id: len(numbers) for trace_id, numbers in world.spans.items()}
    assert all(world.said(trace_id)[1] in ("settled", "partial") for trace_id in world.spans)
    assert world.store.progress.unextracted() == []


USED = [slice_of(key_of(trace_id)) for trace_id in TRACES]


class Claim(NamedTuple):
    """An action: an extractor gets the slices of these traces, and no others."""

    extractor: int
    traces: frozenset[int]


class Restart(NamedTuple):
    """An action: an extractor dies, and another one starts with the same slices."""

    extractor: int


EXTRACTORS = st.integers(0, 1)
CLAIMS = st.builds(Claim, EXTRACTORS, st.frozensets(st.integers(0, len(TRACES) - 1)))
SHARED_STEPS = st.one_of(INSERTS, WAITS, CLAIMS, st.builds(Restart, EXTRACTORS))


class Sharing(Collectors):
    """Two extractors over one store; a slice may be claimed by both of them, or by neither."""

    def __init__(self) -> None:
        self.claims: list[Slices] = [frozenset(USED), frozenset()]
        self.extractors: list[Extractor] = []
        super().__init__()
        self.extractors = [self._started(0), self._started(1)]

    def go(self, step: Insert | float | Claim | Restart) -> None:
        if isinstance(step, Claim):
            self.claims[step.extractor] = frozenset(USED[trace] for trace in step.traces)
        elif isinstance(step, Restart):
            self.extractors[step.extractor] = self._started(step.extractor)
        else:
            self.do(step)

    def step(self, seconds: float = 0) -> int:
        self.wait(seconds)
        return sum(extractor.run_once() for extractor in self.extractors)

    def _started(self, number: int) -> Extractor:
        self.restart(lambda: self.claims[number])
        return self.extractor


@given(st.lists(SHARED_STEPS, max_size=25), st.frozensets(st.integers(0, SLICES - 1)))
@settings(deadline=None, max_examples=examples(300))
def test_every_trace_is_built_whoever_claims_it(
    steps: Sequence[Insert | float | Claim | Restart], first_half: frozenset[int]
) -> None:
    world = Sharing()
    for step in steps:
        world.go(step)
    world.claims = [first_half, frozenset(range(SLICES)) - first_half]
    world.run(SETTLED_S, every=10)
    built = {trace_id: world.said(trace_id)[2] for trace_id in world.spans}
    assert built == {trace_id: len(numbers) for trace_id, numbers in world.spans.items()}
    assert all(world.said(trace_id)[1] in ("settled", "partial") for trace_id in world.spans)
    assert world.store.progress.unextracted() == []
    assert all(len(extractor._discovery) == 0 for extractor in world.extractors)
