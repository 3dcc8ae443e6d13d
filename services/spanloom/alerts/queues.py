"""What is to be told to each channel, in which order, and when: pure, without a clock of its own.

A channel is told one thing at a time. After a failure it waits ever longer, up to a minute, so that
one that is down costs a try now and then. What was tried least comes first, so that one message
that a receiver refuses does not hold up the others. States of one event are told in their order.
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
"""Items of a channel that are read at once: one that is down holds no more of them in memory."""
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 60.0
GIVEN_UP_US = 24 * 3600 * 1_000_000
"""How long after its event something is tried to be told."""
_US = 1_000_000


@dataclass(slots=True)
class Item:
    """An event that a channel is to be told."""

    event: AlertEvent
    channel: str
    tries: int = 0

    @property
    def place(self) -> Place:
        """What identifies it within its channel."""
        return self.event.project, self.event.id, self.event.number

    def became(self, state: DeliveryState, at_us: int, error: str = "") -> Delivery:
        """Return what became of it, after one more try."""
        event = self.event
        told = (event.project, event.alert, event.id, event.number, self.channel)
        return Delivery(*told, state, self.tries, at_us, error)


@dataclass(slots=True)
class _Queue:
    """What one channel of one project is to be told."""

    items: dict[Place, Item] = field(default_factory=dict)
    failures: int = 0
    """In a row."""
    next_us: int = 0
    is_busy: bool = False
    has_more: bool = False
    """Whether the store may have more than was read."""

    def first(self) -> Item:
        """Return what is told next: the least tried, then the oldest; of one id in its order."""
        first_of: dict[tuple[str, str], Item] = {}
        for item in self.items.values():
            of = item.event.project, item.event.id
            if of not in first_of or item.event.number < first_of[of].event.number:
                first_of[of] = item
        return min(first_of.values(), key=lambda i: (i.tries, i.event.at_us, i.place))


class Queues:
    """The queues of all channels; not thread-safe."""

    def __init__(self, jitter: Callable[[], float] = random.random) -> None:
        """``jitter`` returns a number of 0 to 1, by which waits differ."""
        self._jitter = jitter
        self._queues: dict[tuple[str, str], _Queue] = {}
        self._done: dict[tuple[str, Place], None] = {}
        """What was told, or given up, and may not be recorded yet."""

    def __len__(self) -> int:
        """Return how many items wait."""
        return sum(len(queue.items) for queue in self._queues.values())

    def add(self, pending: Iterable[PendingDelivery]) -> None:
        """Take in what is to be told; what is there already, or was told, stays as it is."""
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
        """Whether a channel was told all that was read for it, and the store may have more."""
        return any(queue.has_more and not queue.items for queue in self._queues.values())

    def due(self, now_us: int, most: int) -> Sequence[Item]:
        """Return up to ``most`` items to tell now, one of a channel, which is busy from then on."""
        ready = [q for q in self._queues.values() if q.items and not q.is_busy]
        waited = sorted((q for q in ready if q.next_us <= now_us), key=lambda q: q.next_us)
        chosen = waited[: max(most, 0)]
        for queue in chosen:
            queue.is_busy = True
        return [queue.first() for queue in chosen]

    def told(self, item: Item, at_us: int) -> Delivery:
        """Note that an item was told."""
        queue = self._end(item)
        queue.failures, queue.next_us = 0, at_us
        return self._over(queue, item, DeliveryState.DELIVERED, at_us)

    def failed(self, item: Item, at_us: int, error: str) -> Sequence[Delivery]:
        """Note that a try failed; everything of the channel that is too old is given up."""
        queue = self._end(item)
        queue.failures += 1
        queue.next_us = at_us + int(self._wait_s(queue.failures) * _US)
        old = [i for i in queue.items.values() if at_us - i.event.at_us >= GIVEN_UP_US]
        undelivered = DeliveryState.UNDELIVERED
        given_up = [self._over(queue, one, undelivered, at_us, error) for one in old]
        is_old = item.place not in queue.items
        return given_up if is_old else [item.became(DeliveryState.PENDING, at_us, error), *given_up]

    def dropped(self, item: Item, at_us: int, error: str) -> Delivery:
        """Note that an item cannot be told: its channel is there no more."""
        return self._over(self._end(item), item, DeliveryState.UNDELIVERED, at_us, error)

    def recorded(self, deliveries: Iterable[Delivery]) -> None:
        """Forget what was told and is recorded as told."""
        for one in deliveries:
            self._done.pop((one.channel, (one.project, one.id, one.number)), None)

    def clear(self) -> None:
        """Forget everything: another process tells now."""
        self._queues.clear()

    def _end(self, item: Item) -> _Queue:
        item.tries += 1
        queue = self._of(item)
        queue.is_busy = False
        return queue

    def _of(self, item: Item) -> _Queue:
        return self._queues.setdefault((item.event.project, item.channel), _Queue())

    def _over(
        self, queue: _Queue, item: Item, state: DeliveryState, at_us: int, error: str = ""
    ) -> Delivery:
        queue.items.pop(item.place, None)
        self._done[item.channel, item.place] = None
        return item.became(state, at_us, error)

    def _wait_s(self, failures: int) -> float:
        """Return the wait after so many failures in a row, which differs by half."""
        longest: float = min(FIRST_WAIT_S * 2 ** min(failures - 1, 16), LONGEST_WAIT_S)
        return longest * (0.5 + self._jitter() / 2)
