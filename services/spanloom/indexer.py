"""Keeps the full-text index up to date with trajectories, in large batches, without blocking.

In: new versions of trajectories, by the store's clock. Out: their texts in the index. A version is
stamped with the second in which its INSERT began and may become visible later, so the last minute
is read repeatedly. Versions that are already indexed are skipped: memory holds the versions of the
last minute, and the index holds all versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import PermanentError, StoreTooSmallError
from spanloom.core.sharing import NONE, hold_all
from spanloom.logs import get_logger
from spanloom.outage import Outage
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.texts import Changed, TextIndexer
    from spanloom.core.sharing import Slices
    from spanloom.metrics import Metrics


EVERY_S = 2.0
"""Seconds between reads; all changes in between are one batch."""
HORIZON_S = 60
"""Seconds, longer than any INSERT takes, so that no older trajectory becomes visible later."""
BATCH = 2_000
"""Trajectories that are read with one query."""
log = get_logger("indexer")


class Indexer(RepeatingPart):
    """Adds new texts to the index; a ``Part`` of the process (``process/supervisor.py``).

    It recovers from any crash. Example: it is killed after it has inserted texts and before it has
    recorded its watermark. After the restart it reads the same trajectories again and finds that
    their texts are indexed.
    """

    name = "indexer"

    def __init__(
        self,
        texts: TextIndexer,
        metrics: Metrics,
        every_s: float = EVERY_S,
        outage: Outage | None = None,
        held: Callable[[], Slices] = hold_all,
    ) -> None:
        """Fill the index ``texts``; the first read comes ``every_s`` seconds after the start.

        Failures of the store are reported to ``outage``. ``held`` returns the slices of the traces
        that this process indexes.
        """
        super().__init__(every_s)
        self._outage = outage or Outage()
        self._texts = texts
        self._metrics = metrics
        self._held = held
        self._slices: Slices = NONE
        self._watermark: int | None = None
        self._done: dict[TraceKey, Changed] = {}
        """The indexed versions of the last minute."""
        self._seen_writes: int | None = None
        """The store's write count before the last complete read."""

    def run_once(self) -> int:
        """Index what was stored since the last time; return the number of indexed texts."""
        self._claim(self._held())
        writes = self._texts.writes()
        if writes is not None and writes == self._seen_writes:
            return 0
        count = self._index_changed()
        if not self._stopping.is_set():
            self._seen_writes = writes
        return count

    def _index_changed(self) -> int:
        if self._watermark is None:
            return 0  # this process does not know its slices yet
        closed = self._texts.clock() - HORIZON_S
        count, after, slices = 0, None, self._slices
        while changed := self._texts.changed_since(self._watermark, BATCH, after, slices):
            count += self._index(changed)
            after = changed[-1]
            if self._stopping.is_set():
                return count
            self._move(min(after.second, closed))
        return count

    def _claim(self, held: Slices) -> None:
        """Take over these slices; for new slices, go back to their last indexer's watermark."""
        if held == self._slices:
            return
        gained = held if held is None else held.difference(self._slices or ())
        if gained or gained is None:
            mark = self._texts.read_watermark(gained)
            self._watermark = mark if self._watermark is None else min(self._watermark, mark)
            self._seen_writes = None
        self._slices = held

    def _index(self, changed: Sequence[Changed]) -> int:
        """Index the changes that are not indexed yet; ``changed`` is in the order of versions."""
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
        """Index the texts of one trajectory; if they are refused, log it and return 0."""
        try:
            return self._texts.index_texts([key])
        except (PermanentError, StoreTooSmallError) as error:
            log.error("texts are not indexed", trace_id=key.trace_id, error=str(error))
            return 0

    def _move(self, second: int) -> None:
        """Record that everything before this second is indexed."""
        if second <= (self._watermark or 0):
            return
        self._texts.record_watermark(second, self._slices)
        self._watermark = second
        self._done = {key: c for key, c in self._done.items() if c.second >= second}

    def _round(self) -> None:
        with self._outage.watched(self.name):
            self.run_once()
