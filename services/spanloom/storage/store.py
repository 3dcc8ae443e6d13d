"""The store on ClickHouse, embedded or server: one object per subject, over six connections.

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
from spanloom.storage.engine.connection import Connection, EmbeddedConnection
from spanloom.storage.engine.late import LateConnection
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


class Connections(NamedTuple):
    """The connections of a store, separate so that a long read delays no INSERT and no ``ping``."""

    writer: Connection
    """Appends spans."""
    worker: Connection
    """Reads and writes for the extractor, and makes all other writes."""
    reader: Connection
    """Reads on behalf of users."""
    asker: Connection
    """Runs users' queries in the query language, which may take long."""
    prober: Connection
    """Runs short queries that must not wait for a read."""
    indexer: Connection
    """Writes the text index."""


class _Terms(NamedTuple):
    """The settings and the hidden rows of a connection."""

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
    connections: Connections

    def ping(self) -> None:
        """See ``Store.ping``."""
        list(self.connections.prober.rows("ping"))

    def close(self) -> None:
        """See ``Store.close``; closes the connections."""
        for connection in self.connections:
            connection.close()


def open_store(url: Where, oldest: int | None = None) -> ClickHouseStore:
    """Open the store without changing its tables or its retention.

    ``oldest`` is the last migration that a role requires; ``None`` means all migrations of this
    version.

    Raises ``StartupError`` with a one-line message if the URL is invalid, the store cannot be
    opened or the keeper has not migrated its schema, and ``SchemaTooNewError`` if a newer Spanloom
    wrote it.
    """
    connect = connector_of(url)
    accept_older(url, oldest)
    embedded = is_embedded(url)
    hiding = DeletedRows(has_deletions=not embedded)
    with ExitStack() as opened:
        clients = _connect(connect, url, opened, oldest)
        connections = _connections(clients, hiding, embedded=embedded)
        if read_deletions(connections.writer, limit=1, only_lasting=True):
            hiding.begin()
        opened.pop_all()
    return compose(connections, hiding, store_path(url) if embedded else None)


def open_late(opening: Opening) -> ClickHouseStore:
    """Return the store of a server that may not be reachable yet; connections open when needed.

    Until then its methods raise ``StoreUnavailableError``.
    """
    hiding = DeletedRows(has_deletions=True)
    terms = _terms(hiding, embedded=False)
    return compose(Connections(*(LateConnection(opening, *own) for own in terms)), hiding)


def compose(
    connections: Connections, hiding: DeletedRows, path: Path | None = None
) -> ClickHouseStore:
    """Return the store over these connections; closing it closes them.

    ``path`` is the directory of an embedded store, to which no other process writes.
    """
    writer, worker, reader, asker, prober, indexer = connections
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
        experiments=ClickHouseExperiments(worker, reader, is_alone=is_alone),
        alerts=ClickHouseAlerts(worker, reader, is_alone=is_alone),
        followers=ClickHouseFollowers(worker),
        online_rules=ClickHouseOnlineRules(worker, reader, is_alone=is_alone),
        replays=ClickHouseReplays(worker, is_alone=is_alone),
        deletions=ClickHouseDeletions(worker, hiding, spans.revisit, is_alone=is_alone),
        snapshots=ClickHouseSnapshots(writer, worker, path),
        usage=ClickHouseUsage(prober),
        codec=ClickHouseCodec(),
        connections=connections,
    )


def _connect(
    connect: Connect, url: Where, opened: ExitStack, oldest: int | None
) -> Sequence[Client]:
    """Return a client for each connection; the first one checks whether the schema is current."""
    clients: list[Client] = []
    for _ in Connections._fields:
        client = connect()
        opened.callback(client.close)
        if not clients:
            check_schema(Connection(client), migrate_command(url), oldest)
        clients.append(client)
    return clients


def _connections(clients: Sequence[Client], hiding: DeletedRows, *, embedded: bool) -> Connections:
    connection_of = EmbeddedConnection if embedded else Connection
    terms = _terms(hiding, embedded=embedded)
    return Connections(*(connection_of(c, *own) for c, own in zip(clients, terms, strict=True)))


def _terms(hiding: DeletedRows, *, embedded: bool) -> Sequence[_Terms]:
    """Return the settings and hidden rows of each connection, in the order of ``Connections``."""
    # The reader cannot change settings, and reads only one of the tables that the writer fills.
    late = {FILTERS: {"otel_traces": late_rows_live("otel_traces")}}
    return (
        _Terms({**REQUEST_SETTINGS, **request_schema(embedded=embedded)}),
        _Terms(WORKER_SETTINGS, hiding),
        _Terms({**late, **READER_SETTINGS}, hiding),
        _Terms(ASKER_SETTINGS, hiding),
        _Terms(PROBER_SETTINGS),
        _Terms(WORKER_SETTINGS, hiding),
    )
