"""What was told of trajectories counts until they are written, and only while it is true."""

from __future__ import annotations

from spanloom.core.model.span import TraceKey
from spanloom.core.ports.builds import Build, Precedence
from spanloom.storage.runs import store as told_heads
from spanloom.storage.runs.store import ToldHeads

A, B = TraceKey("p", "a" * 32), TraceKey("p", "b" * 32)
SEVEN, NINE = (Build(rank, 1, "", Precedence("", 0, 0)) for rank in (7, 9))


def test_it_is_given_once_and_only_for_all() -> None:
    told = ToldHeads()
    told.note(told.writes.ended, {A: SEVEN})
    assert told.take([A, B]) is None
    told.note(told.writes.ended, {A: SEVEN, B: None})
    assert told.take([A, B]) == {A: SEVEN, B: None}
    assert told.take([A]) is None
    assert told.take([]) == {}


def test_what_was_read_while_somebody_wrote_is_not_kept() -> None:
    told = ToldHeads()
    before = told.writes.ended
    with told.writes:
        during = told.writes.ended
        told.note(before, {A: SEVEN})  # the write had not ended
        told.take([A])
    told.note(during, {A: SEVEN})  # nor when it was asked
    told.note(before, {A: SEVEN})  # it has ended since
    assert told.take([A]) is None
    told.note(told.writes.ended, {A: NINE})
    assert told.take([A]) == {A: NINE}


def test_it_does_not_grow_without_end() -> None:
    told = ToldHeads()
    for n in range(3):
        told.note(told.writes.ended, {TraceKey("p", f"{n}-{m}"): None for m in range(30_000)})
    assert len(told._builds) <= told_heads.MOST
