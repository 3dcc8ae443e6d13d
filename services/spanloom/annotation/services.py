"""The annotation services over one store."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.annotation.agreement import Agreeing
from spanloom.annotation.exchange import Exchange
from spanloom.annotation.filling import TakingIn
from spanloom.annotation.queues import Queues
from spanloom.annotation.reading import Reading
from spanloom.annotation.rescoring import Rescoring
from spanloom.annotation.schemes import Schemes
from spanloom.annotation.scoring import Scoring
from spanloom.annotation.tasks import Tasks
from spanloom.annotation.versions import Versions
from spanloom.annotation.writing import Writing

if TYPE_CHECKING:
    from spanloom.core.ports.reading import ReadingStore


class Annotating(NamedTuple):
    """What annotators ask of a store."""

    schemes: Schemes
    versions: Versions
    reading: Reading
    writing: Writing
    agreeing: Agreeing
    queues: Queues
    exchange: Exchange
    tasks: Tasks
    taking_in: TakingIn
    rescoring: Rescoring

    @classmethod
    def over(cls, store: ReadingStore) -> Annotating:
        """Return it over a store, which may be open in other processes too."""
        schemes, versions = Schemes(store), Versions(store)
        reading = Reading(store, versions)
        taking_in = TakingIn(store)
        scoring = Scoring(store, schemes, versions, reading)
        writing = Writing(store, versions, taking_in, scoring)
        exchange = Exchange(store, schemes, versions, reading, writing)
        return cls(
            schemes,
            versions,
            reading,
            writing,
            Agreeing(store, versions, reading),
            Queues(store, schemes, versions, reading, writing.now_us),
            exchange,
            Tasks(store, schemes, exchange),
            taking_in,
            Rescoring(store, schemes, versions, reading),
        )
