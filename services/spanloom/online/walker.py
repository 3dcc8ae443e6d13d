"""Creates work items for past runs, page by page.

A walk is one pass over past runs for a rule: a backfill, or a rescoring. After a restart it
continues from its stored position.
"""

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
from spanloom.online.candidate import Candidate
from spanloom.online.walks import walk_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.core.model.online_rule import OnlineRule
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.online.intake import Intake

PAGE = 500
"""Runs of one page of a walk."""
MOST_BYTES = 16 << 20
"""Bytes of documents in memory at once; at least one document."""


class Walker:
    """Creates work items for past runs, in backfills and rescoring."""

    def __init__(
        self,
        store: ReadingStore,
        intake: Intake,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Read runs and store positions; ``clock_ns`` returns ns since the epoch."""
        self._runs = store.runs
        self._documents = store.documents
        self._store = store.online_rules
        self._intake = intake
        self._clock_ns = clock_ns

    def step(self, rules: Sequence[OnlineRule]) -> bool:
        """Process the next page of each unfinished walk; return whether any walk has more pages.

        Raises ``RetryableError`` if the store is unavailable.
        """
        places = {(p.project, p.rule, p.walk): p for p in self._store.places(Reach.ALL)}
        has_more = False
        for rule in rules:
            for walk in Walk:
                if wanted := walk_key(rule, walk):
                    stored = places.get((*rule.id, walk))
                    new = WalkPlace(*rule.id, walk, wanted, at_us=stored.at_us if stored else 0)
                    place = stored if stored and stored.wanted == wanted else new
                    if not place.is_done:
                        has_more |= self._page(rule, place)
        return has_more

    def _page(self, rule: OnlineRule, place: WalkPlace) -> bool:
        """Process a page of a walk, then store the walk's position; return whether more follow."""
        now_us = self._clock_ns() // 1_000
        read = self._past if place.walk is Walk.BACKFILL else self._before
        candidates, position = read(rule, place.position, now_us)
        count = self._intake.take(candidates, [rule])
        at_us = max(now_us, place.at_us + 1)
        self._store.place(
            replace(
                place,
                position=position,
                taken=place.taken + count,
                is_done=not position,
                at_us=at_us,
            )
        )
        return bool(position)

    def _past(
        self, rule: OnlineRule, position: str, now_us: int
    ) -> tuple[Sequence[Candidate], str]:
        """Return the next runs in a rule's backfill range, newest first, and the next position."""
        after = Cursor(*orjson.loads(position)) if position else None
        from_ns, to_ns = rule.backfill or (None, None)
        filters = {"since": from_ns, "until": to_ns}
        within = condition_of({name: at for name, at in filters.items() if at is not None})
        lines = self._runs.list(Reach.only(rule.project), within, PAGE, after)
        candidates = [Candidate.of_line(line, now_us, is_past=True) for line in lines]
        has_more = len(lines) == PAGE
        return candidates, orjson.dumps(lines[-1].cursor[:3]).decode() if has_more else ""

    def _before(
        self, rule: OnlineRule, position: str, now_us: int
    ) -> tuple[Sequence[Candidate], str]:
        """Return the next runs that earlier versions of a rule judged, and the next position."""
        after: str = orjson.loads(position) if position else ""
        traces = self._store.judged_before(rule.project, rule.name, rule.version, after, PAGE)
        keys = [TraceKey(rule.project, trace_id) for trace_id in traces]
        candidates = list(self._from_documents(keys, now_us))
        return candidates, orjson.dumps(traces[-1]).decode() if len(traces) == PAGE else ""

    def _from_documents(self, keys: Sequence[TraceKey], now_us: int) -> Iterator[Candidate]:
        while keys:
            found = self._documents.many(keys, MOST_BYTES)
            for key, text in zip(keys, found, strict=False):
                if text is not None:
                    yield Candidate.of_document(key, HeldDocument(orjson.loads(text)), now_us)
            keys = keys[len(found) :]
