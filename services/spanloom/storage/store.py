"""The store on ClickHouse, embedded or server: one object for each subject, over six connections.

``open_store`` opens the connections and composes the subjects in the order of their dependencies;
each consumer gets the subjects that it needs (``core/ports``).
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from spanloom.storage.alerts import ClickHouseAlerts
from spanloom.storage.annotations.queues import ClickHouseAnnotationQueues
from spanloom.storage.annotations.schemes import ClickHouseSchemes, ClickHouseVersions
from spanloom.storage.annotations.store import ClickHouseAnnotations, ClickHouseScores
from spanloom.storage.codec import ClickHouseCodec
from spanloom.storage.datasets import ClickHouseDatasets
from spanloom.storage.deletions.hiding import DeletedRows, late_rows_live
from spanloom.storage.deletions.store import ClickHouseDeletions, read_deletions
from spanloom.storage.engine.connect import (
    accept_older,
    connector_of,
    is_embedded,
    migrate_command,
    store_path,
)
from spanloom.storage.engine.lane import EmbeddedLane, Lane
from spanloom.storage.engine.late import LateLane
from spanloom.storage.engine.migrate import check_schema
from spanloom.storage.engine.parameters import FILTERS
from spanloom.storage.engine.settings import (
    ASKER_SETTINGS,
    PROBER_SETTINGS,
    READER_SETTINGS,
    REQUEST_SETTINGS,
    WORKER_SETTINGS,
)
from spanloom.storage.engine.statements import request_schema
from spanloom.storage.experiments import ClickHouseEvaluators, ClickHouseExperiments
from spanloom.storage.feed.clocks import Announcer, OwnClock, SharedClock
from spanloom.storage.feed.store import ClickHouseFeed
from spanloom.storage.followers import ClickHouseFollowers
from spanloom.storage.online_rules import ClickHouseOnlineRules
from spanloom.storage.progress import ClickHouseProgress
from spanloom.storage.replays import ClickHouseReplays
from spanloom.storage.runs.calls import ClickHouseCalls
from spanloom.storage.runs.conversations import ClickHouseConversations
from spanloom.storage.runs.documents import ClickHouseDocuments
from spanloom.storage.runs.lists import ClickHouseLists
from spanloom.storage.runs.steps import ClickHouseSteps
from spanloom.storage.runs.store import ClickHouseTrajectories
from spanloom.storage.saved_views import ClickHouseViews
from spanloom.storage.snapshots import ClickHouseSnapshots
from spanloom.storage.spans.store import ClickHouseSpans
from spanloom.storage.stats import ClickHouseStats, ClickHouseUsage
from spanloom.storage.texts.index import ClickHouseTextIndexer
from spanloom.storage.texts.search import ClickHouseTextFinder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from clickhouse_connect.driver.client import Client

    from spanloom.storage.engine.address import Where
    from spanloom.storage.engine.connect import Connect
    from spanloom.storage.engine.late import Opening
    from spanloom.storage.engine.settings import Setting


class Lanes(NamedTuple):
    """The connections of a store: a long read holds up no INSERT and no ``ping``."""

    writer: Lane
    """Appends spans."""
    worker: Lane
    """Reads and writes for the extractor, and does all other writes."""
    reader: Lane
    """Reads on behalf of users."""
    asker: Lane
    """Runs queries of users in the query language, which may take long."""
    prober: Lane
    """Runs short queries that must not wait for a read."""
    indexer: Lane
    """Writes the text index."""


class _Terms(NamedTuple):
    """How a lane is opened."""

    settings: Mapping[str, Setting]
    hiding: DeletedRows | None = None


@dataclass(frozen=True, slots=True)
class ClickHouseStore:
    """``Store`` on ClickHouse: its subjects, and the connections that they share."""

    spans: ClickHouseSpans
    progress: ClickHouseProgress
    trajectories: ClickHouseTrajectories
    calls: ClickHouseCalls
    documents: ClickHouseDocuments
    runs: ClickHouseLists
    steps: ClickHouseSteps
    conversations: ClickHouseConversations
    stats: ClickHouseStats
    texts: ClickHouseTextFinder
    text_index: ClickHouseTextIndexer
    feed: ClickHouseFeed
    annotations: ClickHouseAnnotations
    schemes: ClickHouseSchemes
    versions: ClickHouseVersions
    scores: ClickHouseScores
    queues: ClickHouseAnnotationQueues
    saved_views: ClickHouseViews
    datasets: ClickHouseDatasets
    evaluators: ClickHouseEvaluators
    experiments: ClickHouseExperiments
    alerts: ClickHouseAlerts
    followers: ClickHouseFollowers
    online_rules: ClickHouseOnlineRules
    replays: ClickHouseReplays
    deletions: ClickHouseDeletions
    snapshots: ClickHouseSnapshots
    usage: ClickHouseUsage
    codec: ClickHouseCodec
    lanes: Lanes

    def ping(self) -> None:
        """See ``Store.ping``."""
        list(self.lanes.prober.rows("ping"))

    def close(self) -> None:
        """See ``Store.close``: closes the connections."""
        for lane in self.lanes:
            lane.close()


def open_store(url: Where, oldest: int | None = None) -> ClickHouseStore:
    """Open the store; its tables and its retention are left as they are.

    A role that does with less than this version's schema names the last migration that it needs.

    Raises ``StartupError`` with one line if the URL is invalid, the store cannot be opened or the
    keeper has not brought its schema up to date, and ``SchemaTooNewError`` if a newer Spanloom
    wrote it.
    """
    connect = connector_of(url)
    accept_older(url, oldest)
    embedded = is_embedded(url)
    hiding = DeletedRows(has_deletions=not embedded)
    with ExitStack() as opened:
        clients = _connect(connect, url, opened, oldest)
        lanes = _lanes(clients, hiding, embedded=embedded)
        if read_deletions(lanes.writer, limit=1, only_lasting=True):
            hiding.begin()
        opened.pop_all()
    return compose(lanes, hiding, store_path(url) if embedded else None)


def open_late(opening: Opening) -> ClickHouseStore:
    """Return the store of a server that may not be there yet: each connection opens when needed.

    Until then its methods raise ``StoreUnavailableError``.
    """
    hiding = DeletedRows(has_deletions=True)
    terms = _terms(hiding, embedded=False)
    return compose(Lanes(*(LateLane(opening, *own) for own in terms)), hiding)


def compose(lanes: Lanes, hiding: DeletedRows, path: Path | None = None) -> ClickHouseStore:
    """Return the store over these connections; closing it closes them.

    ``path`` is the directory of an embedded store, to which no other process writes.
    """
    writer, worker, reader, asker, prober, indexer = lanes
    is_alone = path is not None
    clock = OwnClock() if is_alone else SharedClock()
    announcer = Announcer(worker, clock)
    spans = ClickHouseSpans(writer, worker, reader, is_alone=is_alone)
    trajectories = ClickHouseTrajectories(worker, is_alone=is_alone)
    queues = ClickHouseAnnotationQueues(worker, reader, announcer, is_alone=is_alone)
    progress = ClickHouseProgress(worker, spans.appends, spans.revisit)
    return ClickHouseStore(
        spans=spans,
        progress=progress,
        trajectories=trajectories,
        calls=ClickHouseCalls(worker),
        documents=ClickHouseDocuments(reader),
        runs=ClickHouseLists(reader, asker),
        steps=ClickHouseSteps(asker),
        conversations=ClickHouseConversations(reader),
        stats=ClickHouseStats(asker),
        texts=ClickHouseTextFinder(reader),
        text_index=ClickHouseTextIndexer(indexer, trajectories.writes),
        feed=ClickHouseFeed(reader, clock, announcer, queues),
        annotations=ClickHouseAnnotations(worker, reader, announcer, is_alone=is_alone),
        schemes=ClickHouseSchemes(worker, reader, is_alone=is_alone),
        versions=ClickHouseVersions(worker, reader),
        scores=ClickHouseScores(worker, reader, announcer),
        queues=queues,
        saved_views=ClickHouseViews(worker, reader),
        datasets=ClickHouseDatasets(worker, reader),
        evaluators=ClickHouseEvaluators(worker, reader),
        experiments=ClickHouseExperiments(worker, reader),
        alerts=ClickHouseAlerts(worker, reader),
        followers=ClickHouseFollowers(worker),
        online_rules=ClickHouseOnlineRules(worker, reader),
        replays=ClickHouseReplays(worker, is_alone=is_alone),
        deletions=ClickHouseDeletions(worker, hiding, spans.revisit, is_alone=is_alone),
        snapshots=ClickHouseSnapshots(writer, worker, path),
        usage=ClickHouseUsage(prober),
        codec=ClickHouseCodec(),
        lanes=lanes,
    )


def _connect(
    connect: Connect, url: Where, opened: ExitStack, oldest: int | None
) -> Sequence[Client]:
    """Return a client for each lane; the first checks whether the schema is up to date."""
    clients: list[Client] = []
    for _ in Lanes._fields:
        client = connect()
        opened.callback(client.close)
        if not clients:
            check_schema(Lane(client), migrate_command(url), oldest)
        clients.append(client)
    return clients


def _lanes(clients: Sequence[Client], hiding: DeletedRows, *, embedded: bool) -> Lanes:
    lane_of = EmbeddedLane if embedded else Lane
    terms = _terms(hiding, embedded=embedded)
    return Lanes(*(lane_of(c, *own) for c, own in zip(clients, terms, strict=True)))


def _terms(hiding: DeletedRows, *, embedded: bool) -> Sequence[_Terms]:
    """Return the settings of each lane, in the order of ``Lanes``, and what it hides."""
    # The reader cannot change settings; of the tables that the writer fills it reads only one.
    late = {FILTERS: {"otel_traces": late_rows_live("otel_traces")}}
    return (
        _Terms({**REQUEST_SETTINGS, **request_schema(embedded=embedded)}),
        _Terms(WORKER_SETTINGS, hiding),
        _Terms({**late, **READER_SETTINGS}, hiding),
        _Terms(ASKER_SETTINGS, hiding),
        _Terms(PROBER_SETTINGS),
        _Terms(WORKER_SETTINGS, hiding),
    )
