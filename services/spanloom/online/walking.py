"""Walks over runs of the past, page by page, from where the walk was when the process ended."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import orjson

from spanloom.core.document import HeldDocument
from spanloom.core.model.access import Reach
from spanloom.core.model.online_rule import Walk, WalkPlace
from spanloom.core.model.span import TraceKey
from spanloom.core.query.lists import Cursor
from spanloom.core.query.selection import condition_of
from spanloom.online.asked import Asked
from spanloom.online.walks import wanted_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.core.model.online_rule import OnlineRule
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.online.intake import Intake

PAGE = 500
"""Runs of one page of a walk."""
MOST_BYTES = 16 << 20
"""Bytes of documents that are held at once; of one document at least."""


class Walker:
    """Takes in runs of the past for rules that want them."""

    def __init__(
        self,
        store: ReadingStore,
        intake: Intake,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Read runs and keep places in a store; ``clock_ns`` is in ns since the epoch."""
        self._runs = store.runs
        self._documents = store.documents
        self._store = store.online_rules
        self._intake = intake
        self._clock_ns = clock_ns

    def step(self, rules: Sequence[OnlineRule]) -> bool:
        """Take in the next page of each walk that is not at its end; return whether one goes on.

        Raises ``RetryableError`` if the store is away.
        """
        there = {(p.project, p.rule, p.walk): p for p in self._store.places(Reach.ALL)}
        goes_on = False
        for rule in rules:
            for walk in Walk:
                if wanted := wanted_of(rule, walk):
                    known = there.get((*rule.id, walk))
                    new = WalkPlace(*rule.id, walk, wanted, at_us=known.at_us if known else 0)
                    place = known if known and known.wanted == wanted else new
                    if not place.is_done:
                        goes_on |= self._page(rule, place)
        return goes_on

    def _page(self, rule: OnlineRule, place: WalkPlace) -> bool:
        """Take in one page of a walk, and store its place then; return whether it goes on."""
        now_us = self._clock_ns() // 1_000
        read = self._past if place.walk is Walk.BACKFILL else self._before
        asked, position = read(rule, place.position, now_us)
        taken = self._intake.take(asked, [rule])
        at_us = max(now_us, place.at_us + 1)
        self._store.place(
            replace(
                place,
                position=position,
                taken=place.taken + taken,
                is_done=not position,
                at_us=at_us,
            )
        )
        return bool(position)

    def _past(self, rule: OnlineRule, position: str, now_us: int) -> tuple[Sequence[Asked], str]:
        """Return the next runs of the range, newest first, and the position after them."""
        after = Cursor(*orjson.loads(position)) if position else None
        from_ns, to_ns = rule.backfill or (None, None)
        filters = {"since": from_ns, "until": to_ns}
        within = condition_of({name: at for name, at in filters.items() if at is not None})
        lines = self._runs.list(Reach.only(rule.project), within, PAGE, after)
        asked = [Asked.of_line(line, now_us, is_past=True) for line in lines]
        has_more = len(lines) == PAGE
        return asked, orjson.dumps(lines[-1].cursor[:3]).decode() if has_more else ""

    def _before(self, rule: OnlineRule, position: str, now_us: int) -> tuple[Sequence[Asked], str]:
        """Return the next runs that earlier versions judged, and the position after them."""
        after: str = orjson.loads(position) if position else ""
        traces = self._store.judged_before(rule.project, rule.name, rule.version, after, PAGE)
        keys = [TraceKey(rule.project, trace_id) for trace_id in traces]
        asked = list(self._as_documents_tell(keys, now_us))
        return asked, orjson.dumps(traces[-1]).decode() if len(traces) == PAGE else ""

    def _as_documents_tell(self, keys: Sequence[TraceKey], now_us: int) -> Iterator[Asked]:
        while keys:
            found = self._documents.many(keys, MOST_BYTES)
            for key, text in zip(keys, found, strict=False):
                if text is not None:
                    yield Asked.of_document(key, HeldDocument(orjson.loads(text)), now_us)
            keys = keys[len(found) :]
