"""The store on ClickHouse, embedded or server: spans and trajectories over lanes of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.storage.annotations.queues import ClickHouseAnnotationQueues
from spanloom.storage.annotations.scores import ClickHouseScores
from spanloom.storage.annotations.store import ClickHouseAnnotations
from spanloom.storage.annotations.told import ToldAnnotations
from spanloom.storage.codec import ClickHouseCodec
from spanloom.storage.deletions.store import ClickHouseDeletions
from spanloom.storage.feed.clocks import OwnClock, SharedClock
from spanloom.storage.feed.store import ClickHouseFeed
from spanloom.storage.progress.store import ClickHouseProgress
from spanloom.storage.replays.store import ClickHouseReplays
from spanloom.storage.runs.calls import ClickHouseCalls
from spanloom.storage.runs.conversations import ClickHouseConversations
from spanloom.storage.runs.lists import ClickHouseLists
from spanloom.storage.runs.step_rows import ClickHouseSteps
from spanloom.storage.runs.store import ClickHouseTrajectories
from spanloom.storage.snapshots.store import ClickHouseSnapshots
from spanloom.storage.spans.store import ClickHouseSpans
from spanloom.storage.stats.store import ClickHouseStats
from spanloom.storage.texts.index import ClickHouseTextIndexer
from spanloom.storage.texts.search import ClickHouseTextFinder
from spanloom.storage.upkeep.layout import has_old_steps
from spanloom.storage.usage.store import ClickHouseUsage

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.storage.engine.lane import Lane


class ClickHouseStore(
    ClickHouseSpans,
    ClickHouseProgress,
    ClickHouseTrajectories,
    ClickHouseCalls,
    ClickHouseLists,
    ClickHouseSteps,
    ClickHouseConversations,
    ClickHouseReplays,
    ClickHouseDeletions,
    ClickHouseSnapshots,
    ClickHouseUsage,
    ClickHouseStats,
    ClickHouseTextIndexer,
    ClickHouseTextFinder,
    ToldAnnotations,
):
    """``Store`` over six lanes: a long read holds up no INSERT and no ``ping``."""

    def __init__(
        self,
        writer: Lane,
        worker: Lane,
        reader: Lane,
        asker: Lane,
        prober: Lane,
        indexer: Lane,
        path: Path | None = None,
    ) -> None:
        """Take over the lanes: closing the store closes them.

        ``path`` is the directory of an embedded store.
        """
        is_alone = path is not None
        ClickHouseSpans.__init__(self, writer, worker, reader, is_alone=is_alone)
        ClickHouseProgress.__init__(self, worker)
        ClickHouseTrajectories.__init__(self, worker, reader, is_alone=is_alone)
        ClickHouseCalls.__init__(self, worker)
        ClickHouseLists.__init__(self, reader, asker)
        ClickHouseSteps.__init__(self, asker)
        ClickHouseConversations.__init__(self, reader)
        ClickHouseFeed.__init__(self, worker, reader, OwnClock() if is_alone else SharedClock())
        ClickHouseReplays.__init__(self, worker, is_alone=is_alone)
        ClickHouseDeletions.__init__(self, worker)
        ClickHouseSnapshots.__init__(self, writer, worker, path)
        ClickHouseUsage.__init__(self, prober)
        ClickHouseStats.__init__(self, asker)
        ClickHouseTextIndexer.__init__(self, indexer)
        ClickHouseTextFinder.__init__(self, reader)
        ClickHouseAnnotations.__init__(self, worker, reader, is_alone=is_alone)
        ClickHouseScores.__init__(self, worker, reader)
        ClickHouseAnnotationQueues.__init__(self, worker, reader, is_alone=is_alone)
        self.codec = ClickHouseCodec()
        self._lanes = (writer, worker, reader, asker, prober, indexer)

    def ping(self) -> None:
        """See ``Store.ping``."""
        list(self._prober.rows("ping"))

    def is_laid_out(self) -> bool:
        """See ``ExtractionStore.is_laid_out``."""
        return not has_old_steps(self._worker)

    def close(self) -> None:
        """See ``Store.close``."""
        for lane in self._lanes:
            lane.close()
