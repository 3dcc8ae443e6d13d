"""When two extractors build reports or parts of one run at once, the later writer notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import pytest
from tests.support.extracting import TRACE, World, key_of, sent
from tests.support.memory_store import MemoryStore
from tests.support.memory_trajectories import MemoryTrajectories
from tests.support.spans import chat

from spanloom.core.joining import parts
from spanloom.core.model.trajectory import Status
from spanloom.extractor import batch
from spanloom.extractor.batch import build_batch
from spanloom.extractor.second_look import FirstLook

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.extractor.result import BatchResult

OTHER = "cd" * 16
CALLS = (
    [
        sent(1, attributes={"gen_ai.operation.name": "invoke_agent"}, last_ms=100),
        sent(2, 1, chat(7, 3), last_ms=90),
    ],
    [sent(1, attributes=chat(7, 3), trace_id=OTHER, start_ms=10, last_ms=20)],
)
SESSION = {"session.id": "S"}
PARTS = (
    [sent(1, attributes={**SESSION, "event.name": "x.user_prompt"})],
    [sent(2, attributes=SESSION, trace_id=OTHER, start_ms=20)],
)


class Shared(MemoryTrajectories):
    """A trajectory store that calls ``meet`` once, just before it writes."""

    is_shared = True
    meet: Callable[[], object] | None = None

    def write(self, records: Sequence[TrajectoryRecord]) -> AbstractSet[TraceKey]:
        """Call ``meet`` once, then write as ``TrajectoryWriter.write`` does."""
        if meet := self.meet:
            self.meet = None
            meet()
        return super().write(records)


def build_at_once(sent_spans: Sequence[Sequence[WireSpan]], first: str) -> list[BatchResult]:
    """Build two traces at the same time; the one named ``first`` is begun first, written last."""
    store = MemoryStore()
    shared = store.trajectories = Shared(store.state)
    world = World(store)
    for spans in sent_spans:
        world.send(*spans)
    second = OTHER if first == TRACE else TRACE
    results: list[BatchResult] = []

    def build(trace_id: str) -> None:
        results.append(build_batch(store, {key_of(trace_id): Status.SETTLED}))

    shared.meet = lambda: build(second)
    build(first)
    return results


@pytest.mark.parametrize("first", [TRACE, OTHER])
def test_of_two_reports_of_one_call_the_later_writer_sees_the_other(first: str) -> None:
    early, late = build_at_once(CALLS, first)
    assert early.repeated_elsewhere == []
    assert late.repeated_elsewhere == [key_of(OTHER)]


@pytest.mark.parametrize("first", [TRACE, OTHER])
def test_of_two_parts_of_one_run_the_later_writer_sees_the_other(
    first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "FRAGMENT", "")
    early, late = build_at_once(PARTS, first)
    assert early.repeated_elsewhere == []
    assert set(late.repeated_elsewhere) == {key_of(TRACE), key_of(OTHER)}


def test_where_nobody_else_builds_nothing_is_looked_up_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Shared, "is_shared", False)
    _, late = build_at_once(CALLS, TRACE)
    assert late.repeated_elsewhere == []


def test_where_nobody_else_builds_the_first_look_is_gone_before_the_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A ``FirstLook`` has the calls of a long run, which would keep all its spans in memory."""
    alive: WeakSet[FirstLook] = WeakSet()

    class Look(FirstLook):  # without slots, so that it can be referenced weakly
        __hash__ = object.__hash__

    def look(*parts: Any) -> FirstLook:  # the fields of ``FirstLook``
        alive.add(made := Look(*parts))
        return made

    monkeypatch.setattr(batch, "FirstLook", look)
    monkeypatch.setattr(Shared, "is_shared", False)
    store = MemoryStore()
    shared = store.trajectories = Shared(store.state)
    World(store).send(*CALLS[0])
    seen: list[int] = []
    shared.meet = lambda: seen.append(len(alive))
    build_batch(store, {key_of(TRACE): Status.SETTLED})
    assert seen == [0]
