"""A store that goes away between two reads leaves no extractor waiting for idle workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.extractor.workers.dealing import Batch, Dealer, cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.ports.building import CarryingStore
    from spanloom.extractor.workers.pool import Pool, Worker


class IdleWorker:
    is_awaited = False
    has_room = True


class IdlePool:
    """A pool with one ready worker, which has no work and so never answers."""

    def __init__(self) -> None:
        self.workers = [IdleWorker()]

    def with_room(self) -> IdleWorker:
        return self.workers[0]

    def wait_for_answers(self) -> Sequence[Worker]:
        raise AssertionError("this would take for ever")


class AwayStore:
    """A store that becomes unavailable after it has reported which traces arrived."""

    @property
    def spans(self) -> AwayStore:
        return self

    def carry_spans(self, _: object) -> Sequence[object]:
        raise StoreUnavailableError("away")


def test_a_store_that_goes_away_between_two_reads_leaves_nobody_waiting() -> None:
    dealer = Dealer(cast("CarryingStore", AwayStore()), cast("Pool", IdlePool()), 1.0)
    requested = {TraceKey("p", f"{n:032x}"): Status.SETTLED for n in range(1, 7)}
    batch = Batch(requested, {}, list(cut(requested, {})))
    dealer.batches.append(batch)
    dealer.deal()
    assert batch.is_over
    dealer.listen()
