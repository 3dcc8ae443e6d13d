"""The indexer indexes each run once, and continues after a crash with what is not indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.memory_store import MemoryStore
from tests.support.memory_texts import MemoryTextIndex
from tests.support.texts import found, step, text_record

from spanloom.core.errors import StoreFaultError
from spanloom.core.model.span import TraceKey
from spanloom.core.sharing import NONE, SLICES, slice_of
from spanloom.indexer import HORIZON_S, Indexer
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.memory_state import MemoryState

    from spanloom.core.sharing import Slices

NS = 10**9
A, B, C = (TraceKey("p", letter * 32) for letter in "abc")


class WatchedIndex(MemoryTextIndex):
    """A text index that notes the keys it is given, and raises for those in ``bad``."""

    def __init__(self, state: MemoryState) -> None:
        super().__init__(state)
        self.asked: list[Sequence[TraceKey]] = []
        self.bad: set[TraceKey] = set()

    def index_texts(self, keys: Sequence[TraceKey]) -> int:
        self.asked.append(list(keys))
        if self.bad & set(keys):
            raise StoreFaultError("cannot be read")
        return super().index_texts(keys)


class WatchedStore(MemoryStore):
    """A store in memory with a ``WatchedIndex`` and a clock of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 1_000_000
        self.state.clock_ns = lambda: self.now_s * NS
        self.text_index = self.watched = WatchedIndex(self.state)

    def say(self, key: TraceKey, said: str) -> None:
        self.trajectories.write([text_record(self, key, [step(1, said)])])


@pytest.fixture
def store() -> WatchedStore:
    return WatchedStore()


def indexer_of(store: WatchedStore) -> Indexer:
    return Indexer(store.text_index, Metrics())


def test_what_is_stored_is_indexed_once(store: WatchedStore) -> None:
    indexer = indexer_of(store)
    store.say(A, "alpha")
    assert (indexer.run_once(), indexer.run_once()) == (1, 0)
    store.say(B, "beta")
    assert indexer.run_once() == 1
    assert store.watched.asked == [[A], [B]]
    assert found(store, "p", "alpha") == found(store, "p", "beta") == [("02", "input")]


def test_a_new_version_in_the_same_second_is_indexed_too(store: WatchedStore) -> None:
    indexer = indexer_of(store)
    store.say(A, "alpha")
    indexer.run_once()
    store.say(A, "omega")
    assert indexer.run_once() == 1
    assert (found(store, "p", "omega"), found(store, "p", "alpha")) == ([("02", "input")], [])


def test_another_indexer_goes_on_where_one_was_killed(store: WatchedStore) -> None:
    store.say(A, "alpha")
    indexer_of(store).run_once()
    store.say(B, "beta")  # and the process is killed
    assert indexer_of(store).run_once() == 1
    assert found(store, "p", "beta") == [("02", "input")]


def test_the_last_minute_is_looked_at_again_and_what_is_older_is_not(store: WatchedStore) -> None:
    store.say(A, "alpha")
    store.now_s += HORIZON_S - 1
    store.say(B, "beta")
    indexer_of(store).run_once()
    assert store.text_index.read_watermark() == store.now_s - HORIZON_S  # earlier than both runs
    store.now_s += 2
    indexer_of(store).run_once()
    assert store.text_index.read_watermark() == store.now_s - HORIZON_S
    indexer_of(store).run_once()
    assert store.watched.asked == [[A, B], [A, B], [B]]


def test_a_row_that_appears_late_is_indexed(store: WatchedStore) -> None:
    """The row's INSERT began before that of the other row and took longer."""
    indexer = indexer_of(store)
    store.now_s += 5
    store.say(A, "alpha")
    indexer.run_once()
    store.now_s -= 5
    store.say(B, "beta")
    store.now_s += 15
    assert indexer.run_once() == 1


def test_a_run_that_cannot_be_indexed_keeps_no_other_out(store: WatchedStore) -> None:
    store.watched.bad = {B}
    for key, said in ((A, "alpha"), (B, "beta"), (C, "gamma")):
        store.say(key, said)
    assert indexer_of(store).run_once() == 2
    assert found(store, "p", "gamma") == [("02", "input")]


EVERY_SLICE = frozenset(range(SLICES))


def test_an_indexer_indexes_its_slices_and_takes_over_others(store: WatchedStore) -> None:
    of_a = frozenset([slice_of(A)])
    held: list[Slices] = [NONE]
    indexer = Indexer(store.text_index, Metrics(), held=lambda: held[-1])
    store.say(A, "alpha")
    store.say(B, "beta")
    assert indexer.run_once() == 0
    held.append(of_a)
    assert indexer.run_once() == 1
    assert found(store, "p", "beta") == []
    store.now_s += 2 * HORIZON_S
    store.say(A, "omega")
    assert indexer.run_once() == 1
    held.append(EVERY_SLICE)
    assert indexer.run_once() == 1
    assert found(store, "p", "beta") == [("02", "input")]
    held.append(of_a)
    store.say(B, "gamma")
    assert indexer.run_once() == 0


def test_a_gained_slice_is_indexed_from_where_its_indexer_was(store: WatchedStore) -> None:
    of_a = frozenset([slice_of(A)])
    others = EVERY_SLICE - of_a
    store.say(A, "alpha")
    store.say(B, "beta")
    Indexer(store.text_index, Metrics(), held=lambda: others).run_once()
    store.now_s += 2 * HORIZON_S
    store.say(C, "gamma")
    Indexer(store.text_index, Metrics(), held=lambda: others).run_once()
    marks = [store.text_index.read_watermark(slices) for slices in (of_a, others)]
    assert marks == [0, store.now_s - HORIZON_S]
    assert Indexer(store.text_index, Metrics(), held=lambda: EVERY_SLICE).run_once() == 1
    assert found(store, "p", "alpha") == [("02", "input")]
