"""What happened with the items of a queue: who has begun, who is done, what is decided."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.model.annotation_queue import Event

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.model.annotation_queue import QueueEvent


class Happened:
    """The events of a queue; they may come in any order, and more than once."""

    def __init__(self, events: Iterable[QueueEvent]) -> None:
        """Take all of them."""
        self._last: defaultdict[str, dict[str, QueueEvent]] = defaultdict(dict)
        self._begun: dict[tuple[str, str], int] = {}
        self._adjudicated: set[str] = set()
        for event in sorted(set(events), key=lambda e: (e.at_us, e.trace_id, e.annotator, e.event)):
            self._note(event)

    def done_by(self, trace_id: str) -> Sequence[str]:
        """Return who is done with an item, whoever was first coming first."""
        return [who for who, e in self._of(trace_id).items() if e.event is Event.DONE]

    def at_work_on(self, trace_id: str, since_us: int = 0) -> Sequence[str]:
        """Return who has begun an item, or again, since a time, and is not done with it."""
        return [
            who
            for who, e in self._of(trace_id).items()
            if e.event is not Event.DONE and e.at_us >= since_us
        ]

    def is_touched(self, trace_id: str) -> bool:
        """Return whether anybody ever began an item."""
        return bool(self._of(trace_id))

    def is_adjudicated(self, trace_id: str) -> bool:
        """Return whether somebody decided, and nobody reopened the item since."""
        return trace_id in self._adjudicated

    def seconds(self, trace_id: str, annotator: str) -> float | None:
        """Return how long somebody who is done took from beginning to done; None: unknown."""
        begun = self._begun.get((trace_id, annotator))
        done = self._last[trace_id][annotator].at_us
        return None if begun is None else max(0, done - begun) / 1e6

    def annotators(self) -> Sequence[str]:
        """Return everybody who began or finished anything, by name."""
        return sorted({who for of_item in self._last.values() for who in of_item})

    def _of(self, trace_id: str) -> Mapping[str, QueueEvent]:
        return self._last.get(trace_id, {})

    def _note(self, event: QueueEvent) -> None:
        if event.event is Event.ADJUDICATED:
            self._adjudicated.add(event.trace_id)
            return
        last = self._last[event.trace_id]
        known = last.get(event.annotator)
        if event.event is Event.REOPENED:
            self._adjudicated.discard(event.trace_id)
        if event.event is Event.BEGUN:
            self._begun.setdefault((event.trace_id, event.annotator), event.at_us)
            if known and known.event is Event.DONE:
                return  # looked at again: it is done still
        last[event.annotator] = event
