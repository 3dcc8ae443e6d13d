"""Queues of pending deliveries, one for each channel, which decide their order and time.

A channel gets one message at a time. After failures the waits grow, up to a minute, so that a
channel that is down costs little. Items with the fewest tries come first, so that a message that
the receiver refuses does not block the others. States of one event are delivered in order.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from spanloom.core.model.alert import Delivery, DeliveryState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from spanloom.core.model.alert import AlertEvent
    from spanloom.core.ports.alerts import PendingDelivery

    Place: TypeAlias = "tuple[str, str, int]"  # project, id and number of an event

PER_CHANNEL = 200
"""Maximum items of a channel in memory, even if it is down."""
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 60.0
EXPIRES_US = 24 * 3600 * 1_000_000
"""Age of an event, in µs, after which a failed delivery is given up."""
_US = 1_000_000


@dataclass(slots=True)
class Item:
    """A pending delivery: an event for a channel."""

    event: AlertEvent
    channel: str
    tries: int = 0

    @property
    def place(self) -> Place:
        """The identity of the item within its channel."""
        return self.event.project, self.event.id, self.event.number

    def delivery(self, state: DeliveryState, at_us: int, error: str = "") -> Delivery:
        """Return the record to store for the last try."""
        event = self.event
        place = (event.project, event.alert, event.id, event.number, self.channel)
        return Delivery(*place, state, self.tries, at_us, error)


@dataclass(slots=True)
class _Queue:
    """Pending deliveries to one channel of one project."""

    items: dict[Place, Item] = field(default_factory=dict)
    failures: int = 0
    """Consecutive failures."""
    next_us: int = 0
    is_busy: bool = False
    has_more: bool = False
    """Whether the store may have more items."""

    def first(self) -> Item:
        """Return the next item: with the fewest tries, then the oldest.

        Items for states of the same event keep the order of the states.
        """
        first_of: dict[tuple[str, str], Item] = {}
        for item in self.items.values():
            of = item.event.project, item.event.id
            if of not in first_of or item.event.number < first_of[of].event.number:
                first_of[of] = item
        return min(first_of.values(), key=lambda i: (i.tries, i.event.at_us, i.place))


class Queues:
    """The queues of all channels; not thread-safe."""

    def __init__(self, jitter: Callable[[], float] = random.random) -> None:
        """Start empty; ``jitter`` returns a number from 0 to 1 that varies the waits."""
        self._jitter = jitter
        self._queues: dict[tuple[str, str], _Queue] = {}
        self._done: dict[tuple[str, Place], None] = {}
        """Finished items that may not be recorded in the store yet."""

    def __len__(self) -> int:
        """Return the number of pending items."""
        return sum(len(queue.items) for queue in self._queues.values())

    def add(self, pending: Iterable[PendingDelivery]) -> None:
        """Add pending items, except items that are already pending or finished."""
        counts = Counter[tuple[str, str]]()
        for one in pending:
            item = Item(one.event, one.channel, one.tries)
            counts[item.event.project, item.channel] += 1
            if (one.channel, item.place) not in self._done:
                self._of(item).items.setdefault(item.place, item)
        for key, queue in self._queues.items():
            queue.has_more = counts[key] >= PER_CHANNEL

    @property
    def wants_more(self) -> bool:
        """Whether a queue is empty but the store may have more of its items."""
        return any(queue.has_more and not queue.items for queue in self._queues.values())

    def due(self, now_us: int, most: int) -> Sequence[Item]:
        """Return up to ``most`` due items, one for each channel; these channels become busy."""
        ready = [q for q in self._queues.values() if q.items and not q.is_busy]
        waited = sorted((q for q in ready if q.next_us <= now_us), key=lambda q: q.next_us)
        chosen = waited[: max(most, 0)]
        for queue in chosen:
            queue.is_busy = True
        return [queue.first() for queue in chosen]

    def delivered(self, item: Item, at_us: int) -> Delivery:
        """Finish a delivered item, and return its record."""
        queue = self._end(item)
        queue.failures, queue.next_us = 0, at_us
        return self._finish(queue, item, DeliveryState.DELIVERED, at_us)

    def failed(self, item: Item, at_us: int, error: str) -> Sequence[Delivery]:
        """Count a failed try, and give up items of the channel that are older than ``EXPIRES_US``.

        Returns the records to store.
        """
        queue = self._end(item)
        queue.failures += 1
        queue.next_us = at_us + int(self._wait_s(queue.failures) * _US)
        old = [i for i in queue.items.values() if at_us - i.event.at_us >= EXPIRES_US]
        undelivered = DeliveryState.UNDELIVERED
        expired = [self._finish(queue, one, undelivered, at_us, error) for one in old]
        is_old = item.place not in queue.items
        return expired if is_old else [item.delivery(DeliveryState.PENDING, at_us, error), *expired]

    def dropped(self, item: Item, at_us: int, error: str) -> Delivery:
        """Give up an item whose channel no longer exists, and return its record."""
        return self._finish(self._end(item), item, DeliveryState.UNDELIVERED, at_us, error)

    def recorded(self, deliveries: Iterable[Delivery]) -> None:
        """Forget finished items whose records are stored."""
        for one in deliveries:
            self._done.pop((one.channel, (one.project, one.id, one.number)), None)

    def clear(self) -> None:
        """Forget all pending items, because another process delivers them now."""
        self._queues.clear()

    def _end(self, item: Item) -> _Queue:
        item.tries += 1
        queue = self._of(item)
        queue.is_busy = False
        return queue

    def _of(self, item: Item) -> _Queue:
        return self._queues.setdefault((item.event.project, item.channel), _Queue())

    def _finish(
        self, queue: _Queue, item: Item, state: DeliveryState, at_us: int, error: str = ""
    ) -> Delivery:
        queue.items.pop(item.place, None)
        self._done[item.channel, item.place] = None
        return item.delivery(state, at_us, error)

    def _wait_s(self, failures: int) -> float:
        """Return the seconds to wait after consecutive failures: 50 to 100 % of a backoff."""
        longest: float = min(FIRST_WAIT_S * 2 ** min(failures - 1, 16), LONGEST_WAIT_S)
        return longest * (0.5 + self._jitter() / 2)
