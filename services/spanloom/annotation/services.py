"""Creates all annotation services for one store."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.annotation.agreement import Agreeing
from spanloom.annotation.exchange import Exchange, Tasks
from spanloom.annotation.filling import LivingQueues
from spanloom.annotation.queues import Queues
from spanloom.annotation.reading import Reading
from spanloom.annotation.rescoring import Rescoring
from spanloom.annotation.schemes import Schemes
from spanloom.annotation.scores import Scores
from spanloom.annotation.staleness import Staleness
from spanloom.annotation.versions import Versions
from spanloom.annotation.writing import Scoring, Writing

if TYPE_CHECKING:
    from spanloom.core.ports.reading import ReadingStore


class Annotating(NamedTuple):
    """The annotation services for one store."""

    schemes: Schemes
    versions: Versions
    reading: Reading
    writing: Writing
    agreeing: Agreeing
    queues: Queues
    exchange: Exchange
    tasks: Tasks
    living_queues: LivingQueues
    rescoring: Rescoring
    scores: Scores
    staleness: Staleness

    @classmethod
    def over(cls, store: ReadingStore) -> Annotating:
        """Create the services for a store, which other processes may use too."""
        schemes, versions = Schemes(store.schemes), Versions(store.versions, store.documents)
        reading = Reading(store.annotations, versions)
        living_queues = LivingQueues(store.queues, store.runs)
        scoring = Scoring(store.scores, schemes, versions, reading)
        writing = Writing(store.annotations, versions, living_queues, scoring)
        exchange = Exchange(store.annotations, schemes, versions, reading, writing)
        return cls(
            schemes,
            versions,
            reading,
            writing,
            Agreeing(store.annotations, versions, reading),
            Queues(store, schemes, versions, reading, writing.now_us),
            exchange,
            Tasks(store.documents, schemes, exchange),
            living_queues,
            Rescoring(store.annotations, store.scores, schemes, versions, reading),
            Scores(store.scores, store.feed, schemes, living_queues),
            Staleness(store.versions, store.documents, versions),
        )
