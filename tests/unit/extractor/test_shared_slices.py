"""Extractors that share a store build only the traces of their slices, and take over others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.extracting import World, key_of, sent

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.sharing import ALL, NONE, SLICES, slice_of
from spanloom.extractor.discovery import Discovery
from spanloom.extractor.extractor import UNREAD_S, Extractor
from spanloom.extractor.readiness import NS, Moment
from spanloom.extractor.window import HOUR_S, SWEEP_BACK_S

if TYPE_CHECKING:
    from spanloom.core.sharing import Slices

ONE, TWO = "1" * 32, "2" * 32
EVERY = frozenset(range(SLICES))
OF_ONE = frozenset([slice_of(key_of(ONE))])


class Shared(World):
    """A test world whose extractor holds the slices that the test sets."""

    def __init__(self, held: Slices) -> None:
        super().__init__()
        self.held = held
        self.restart(lambda: self.held)

    def built(self) -> list[bool]:
        return [self.said(trace_id)[0] > 0 for trace_id in (ONE, TWO)]


def test_the_traces_are_in_different_slices() -> None:
    assert slice_of(key_of(ONE)) != slice_of(key_of(TWO))


def test_only_traces_of_held_slices_are_built() -> None:
    world = Shared(OF_ONE)
    world.send(sent(1, trace_id=ONE), sent(1, trace_id=TWO))
    world.run(3)
    assert world.built() == [True, False]


def test_an_extractor_that_does_not_know_its_share_yet_builds_nothing() -> None:
    world = Shared(NONE)
    world.send(sent(1, trace_id=ONE))
    world.run(3)
    assert world.built() == [False, False]
    world.held = EVERY
    world.run(3)
    assert world.built() == [True, False]


def test_slices_that_were_not_read_for_a_minute_are_a_trouble() -> None:
    world = Shared(OF_ONE)
    world.step()
    world.wait(UNREAD_S - 1)
    assert world.extractor.trouble == ""
    world.wait(1)
    assert "has not been read for 60 s" in world.extractor.trouble
    world.step()
    assert world.extractor.trouble == ""
    world.held = NONE
    world.step(UNREAD_S)
    assert "has not been read for 60 s" in world.extractor.trouble


def test_who_shares_with_none_has_no_such_trouble() -> None:
    world = World()
    extractor = Extractor(world.store, world.metrics, world.timing, lambda: world.now_ns)
    world.wait(2 * UNREAD_S)
    assert extractor.trouble == ""


@pytest.mark.parametrize("passed_s", [1, SWEEP_BACK_S + 100, 3 * HOUR_S])
def test_a_gained_slice_is_begun_where_its_extractor_died(passed_s: int) -> None:
    world = Shared(OF_ONE)
    world.run(3)
    world.send(sent(1, trace_id=ONE), sent(1, trace_id=TWO))
    world.run(3)
    world.step(passed_s)
    world.held = EVERY
    world.run(3)
    assert world.built() == [True, True]
    assert world.said(ONE)[0] == 1


def test_a_gained_slice_brings_its_live_traces() -> None:
    world = Shared(EVERY)
    world.send(sent(2, 1, trace_id=TWO))
    world.run(3)
    assert world.said(TWO)[1] == "live"
    world.held = OF_ONE
    world.step(1)
    world.wait(3 * HOUR_S)
    assert world.step() == 0
    world.store.progress.record_watermarks(dict.fromkeys(EVERY, world.now_ns // NS))
    world.held = EVERY
    world.run(3)
    assert world.said(TWO)[1] == "partial"


def test_a_lost_slice_is_left_in_the_middle_of_a_backlog() -> None:
    world = Shared(EVERY)
    world.send(sent(1, trace_id=ONE), sent(1, trace_id=TWO))
    world.step(0.1)
    world.wait(1)
    held = iter([EVERY])
    world.restart(lambda: next(held, OF_ONE))
    world.step()
    assert world.built() == [True, False]


def test_a_stale_share_builds_nothing_and_forgets_nothing() -> None:
    world = Shared(EVERY)
    is_stale = False

    def held() -> Slices:
        if is_stale:
            raise StoreUnavailableError("no heartbeat")
        return EVERY

    world.restart(held)
    world.send(sent(1, trace_id=ONE))
    world.step(0.1)
    is_stale = True
    with pytest.raises(StoreUnavailableError):
        world.step(5)
    is_stale = False
    world.step()
    assert world.built() == [True, False]


def test_each_slice_has_its_own_watermark() -> None:
    world = Shared(EVERY)
    began_s = world.now_ns // NS
    world.run(3)
    world.send(sent(2, 1, trace_id=TWO))  # waits without a root, not yet built
    world.wait(0.5)
    discovery = Discovery(world.store.progress, world.timing, lambda: EVERY)
    discovery.look(Moment(world.now_ns))
    world.wait(61)
    discovery.look(Moment(world.now_ns))
    progress = world.store.progress
    assert progress.read_watermark(ALL) == 0
    assert progress.read_watermark(OF_ONE) == world.now_ns // NS
    assert progress.read_watermark(EVERY) == began_s + 3
    assert progress.read_watermark(frozenset([SLICES])) == 0
    progress.record_watermark(began_s + 10)
    assert progress.read_watermark(EVERY) == began_s + 10
