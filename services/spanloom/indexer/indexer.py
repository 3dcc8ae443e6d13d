"""Keeps the index of texts up with trajectories, in large batches, holding up nobody.

It goes by the store's clock. A trajectory bears the second in which its INSERT began, and may be
seen a while later, so the last minute is looked at again and again; what was indexed of it is
known by its version, here while the process lives, and in the index itself for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import PermanentError, RetryableError, StoreTooSmallError
from spanloom.telemetry import get_logger
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.texts import Changed, TextIndexer
    from spanloom.telemetry import Metrics

EVERY_S = 2.0
"""How often it looks: what came in between is one batch."""
HORIZON_S = 60
"""Longer than any INSERT of trajectories takes: what is older cannot appear any more."""
BATCH = 2_000
"""Trajectories that are looked at with one query."""
log = get_logger("indexer")


class Indexer(RepeatingPart):
    """A part of the process (``process/part.py``); correct whatever dies, as the extractor is.

    Example: killed behind an INSERT of texts and before it could note how far it came, it finds the
    same trajectories again when it starts, and that their texts are there.
    """

    name = "indexer"

    def __init__(self, texts: TextIndexer, metrics: Metrics, every_s: float = EVERY_S) -> None:
        """Take the index of texts to fill; the first look comes ``every_s`` after the start."""
        super().__init__(every_s)
        self._texts = texts
        self._metrics = metrics
        self._watermark: int | None = None
        self._done: dict[TraceKey, Changed] = {}
        """What was indexed of the last minute."""
        self._seen_writes: int | None = None
        """How many writes had ended before everything was indexed."""

    def run_once(self) -> int:
        """Index what was stored since the last time; return how many texts came in."""
        writes = self._texts.writes()
        if writes is not None and writes == self._seen_writes:
            return 0
        count = self._index_changed()
        if not self._stopping.is_set():
            self._seen_writes = writes
        return count

    def _index_changed(self) -> int:
        if self._watermark is None:
            self._watermark = self._texts.read_watermark()
        closed = self._texts.clock() - HORIZON_S
        count, after = 0, None
        while changed := self._texts.changed_since(self._watermark, BATCH, after):
            count += self._index(changed)
            after = changed[-1]
            if self._stopping.is_set():
                return count
            self._move(min(after.second, closed))
        return count

    def _index(self, changed: Sequence[Changed]) -> int:
        """Index what is new of these; of two versions of a trajectory the later comes last."""
        newest = {change.key: change for change in changed}
        new = {key: change for key, change in newest.items() if self._done.get(key) != change}
        try:
            count = self._texts.index_texts(list(new))
        except (PermanentError, StoreTooSmallError) as error:
            log.warning("texts cannot be indexed together; one by one", error=str(error))
            count = sum(map(self._index_alone, new))
        self._done |= new
        self._metrics.texts_indexed.inc(count)
        return count

    def _index_alone(self, key: TraceKey) -> int:
        """Index the texts of one trajectory, which must not keep those of others out."""
        try:
            return self._texts.index_texts([key])
        except (PermanentError, StoreTooSmallError) as error:
            log.error("texts are not indexed", trace_id=key.trace_id, error=str(error))
            return 0

    def _move(self, second: int) -> None:
        """Note that everything before this second is indexed."""
        if second <= (self._watermark or 0):
            return
        self._texts.record_watermark(second)
        self._watermark = second
        self._done = {key: c for key, c in self._done.items() if c.second >= second}

    def _round(self) -> None:
        try:
            self.run_once()
        except RetryableError as error:
            log.warning("the store does not answer; trying again", error=str(error))
