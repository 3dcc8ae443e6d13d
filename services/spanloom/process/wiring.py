"""The wiring: builds the components of each role from the settings, in start order."""

from __future__ import annotations

import secrets
import time
from enum import Flag, auto
from functools import partial
from typing import TYPE_CHECKING, Self

from spanloom.access.authenticate import Keyring
from spanloom.access.headers import Hosts
from spanloom.access.last_known import KEYS_KNOWN, STORE_KNOWN, LastKnown
from spanloom.alerts.deliverer import AlertDeliverer
from spanloom.alerts.sending import HttpSender
from spanloom.alerts.service import FOLLOWER
from spanloom.alerts.watcher import AlertWatcher
from spanloom.api.app import create_app as create_api
from spanloom.config import OptionError, flag_of
from spanloom.core.annotation.queue import withheld_from_all
from spanloom.core.extract import EXTRACTOR_VERSION
from spanloom.core.model.access import Reach
from spanloom.core.model.notation import authority
from spanloom.core.sharing import hold_all
from spanloom.experiments.runner import ExperimentRunner
from spanloom.extractor.extractor import Extractor
from spanloom.following.follower import FeedFollower
from spanloom.following.sharing import JUDGE
from spanloom.heartbeat import Heartbeat
from spanloom.indexer import Indexer
from spanloom.keeper import Keeper, Retention
from spanloom.online.current import CurrentRules
from spanloom.online.follower import OnlineFollower
from spanloom.online.worker import OnlineWorker
from spanloom.outage import Outage
from spanloom.process.collecting import Shared, build_collector
from spanloom.process.datadir import DataDir, temporary_in
from spanloom.process.imports.importer import FileImporter
from spanloom.process.late_store import LateStore
from spanloom.process.narrator import Narrator
from spanloom.process.options import (
    access_of,
    builder_of,
    project_limits_of,
    sql_limits_of,
    terms_of,
    timing_of,
    tls_of,
)
from spanloom.process.page import open_mcp_door, page_router
from spanloom.process.readiness import Readiness, store_trouble
from spanloom.process.self_examination import SelfExamination
from spanloom.process.serving import HttpServer, bind
from spanloom.process.supervisor import Supervisor
from spanloom.sql.door import SqlDoor
from spanloom.sql.reader import Reader
from spanloom.storage.access import keys_on, open_key_store
from spanloom.storage.engine.connect import keep_store_id, store_path
from spanloom.storage.engine.embedded import give_back_code
from spanloom.storage.engine.late import Opening
from spanloom.storage.engine.migrate import OLDEST_WRITABLE
from spanloom.storage.engine.statements import WRITER
from spanloom.storage.sql import EmbeddedSql
from spanloom.storage.store import open_late, open_store
from spanloom.storage.upkeep.store import open_upkeep, upkeep_on
from spanloom.storage.workers import open_workers
from spanloom.telemetry import Metrics

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Collection, Iterator, Sequence

    from fastapi import APIRouter

    from spanloom.access.authenticate import Access
    from spanloom.access.limits import LimitsByProject
    from spanloom.config import Settings
    from spanloom.core.model.upkeep import RetentionPlan
    from spanloom.core.ports.annotations import QueueReader
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.ports.store import Store
    from spanloom.core.ports.upkeep import KeyStore
    from spanloom.mcp.server import McpEndpoint
    from spanloom.process.supervisor import Ending, Part
    from spanloom.storage.store import ClickHouseStore


class Role(Flag):
    """The tasks of a process; with the embedded store one process has all roles."""

    COLLECT = auto()
    EXTRACT = auto()
    API = auto()
    KEEP = auto()


_REACHED = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # not bound to
"""The local address of a port that listens on all addresses."""
EVERYTHING = Role.COLLECT | Role.EXTRACT | Role.API | Role.KEEP


class Service:
    """The components of one process: started on entering the context, stopped on leaving it."""

    def __init__(self, settings: Settings, roles: Role = EVERYTHING) -> None:
        """Prepare; raises ``OptionError`` if the roles cannot run on the configured store."""
        if settings.is_embedded and Role.COLLECT not in roles:
            raise OptionError(
                "this command needs a ClickHouse server (--store-url clickhouse://…): the "
                "embedded store belongs to one process; `spanloom serve` runs everything in one"
            )
        if settings.sql_port is not None and not settings.is_embedded:
            raise OptionError(
                "--sql-port is for the embedded store: ask the ClickHouse server itself"
            )
        self.metrics = Metrics()
        self._settings = settings
        # The owner of an embedded store also has to run the keeper: no other process can.
        self._roles = roles | Role.KEEP if settings.is_embedded else roles
        self._supervisor = Supervisor(settings.shutdown_s)
        self._outage = Outage()
        self._readiness = Readiness(
            self._supervisor.unready, only_collects=self._roles == Role.COLLECT
        )
        self._scheme = "https" if settings.tls_cert else "http"
        self._otlp_http = ""
        self._retention: Callable[[], RetentionPlan | None] = lambda: None

    def __enter__(self) -> Self:
        """Start all components; raises ``StartupError`` with a message of one line."""
        try:
            for part in self._parts():
                self._supervisor.start(part)
        except BaseException:
            self._supervisor.stop()
            raise
        self._supervisor.started()
        if self._settings.is_embedded:
            give_back_code()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop all components; requests not stored in time stay in the spool."""
        self._supervisor.stop()

    @property
    def addresses(self) -> dict[str, str]:
        """URL of each listening component, keyed by its name: ``{"api": "http://127.0.0.1:8080"}``."""
        return {
            name: f"{self._scheme}://{authority(self._settings.host, port)}"
            for name, port in self._supervisor.ports().items()
        }

    def wait(self, until: Ending) -> None:
        """Return when the event is set; raise ``PartFailedError`` if a part fails first."""
        self._supervisor.wait(until)

    def _parts(self) -> Iterator[Part]:
        """Yield the components in start order; each is started before the next is built."""
        settings, at_end = self._settings, self._supervisor.at_end
        tls = tls_of(settings)
        if tls:
            yield tls
        if Role.COLLECT in self._roles:
            data = DataDir(settings.data_dir)
            at_end(data.release)
            if settings.is_embedded:
                data.warn_if_store_missing(settings.data_dir / "store")
            else:
                keep_store_id(settings.resolved_store_url, LastKnown(data.path / STORE_KNOWN))
            listener = self._bind("otlp_http_port")
            self._otlp_http = (
                f"{self._scheme}://{authority(settings.host, listener.getsockname()[1])}"
            )
        api_listener = self._bind("api_port")
        sql_listener = self._bind("sql_port") if settings.sql_port is not None else None
        opening = self._opening()
        if Role.KEEP in self._roles:
            yield self._keeper(opening)  # before the store is opened: it creates the tables
        late = open_late(opening) if opening else None
        if opening and late:
            at_end(late.close)
            yield LateStore(opening, late.connections, self._outage)
        keys = self._open_keys(opening)
        at_end(keys.close)
        keyring = Keyring(keys, known=self._known_keys(), outage=self._outage)
        yield keyring
        access = access_of(settings, keys, keyring)
        shared = Shared(settings, self.metrics, access, tls, self._outage, self._readiness, at_end)
        store = late or self._open_now()
        self._require(access, store)
        heartbeat = self._heartbeat()
        if heartbeat:
            yield heartbeat
        importer = self._importer(store)
        by_project = project_limits_of(settings) if Role.COLLECT in self._roles else None
        yield self._api(shared, store, api_listener, sql_listener, importer, by_project)
        if sql_listener:
            yield self._sql(shared, store.queues, sql_listener)
        if Role.EXTRACT in self._roles:
            yield from self._extracting(store, heartbeat)
        if by_project:
            yield from build_collector(
                shared, store.spans, store.usage, by_project, data, listener, importer
            )
            yield Narrator(self.metrics)

    def _open_now(self) -> ClickHouseStore:
        store = open_store(self._settings.resolved_store_url)
        self._supervisor.at_end(store.close)
        return store

    def _require(self, access: Access, store: ClickHouseStore) -> None:
        """Set what the process needs to be ready: keys, and, unless it only collects, the store."""
        if self._roles & (Role.COLLECT | Role.API):
            self._readiness.require(lambda: access.authenticator.obstacle)
        if not self._readiness.only_collects:
            self._readiness.require(lambda: store_trouble(store))

    def _extracting(self, store: ClickHouseStore, heartbeat: Heartbeat | None) -> Iterator[Part]:
        yield Extractor(
            store,
            self.metrics,
            timing_of(self._settings),
            builder=builder_of(self._settings, store, self.metrics),
            outage=self._outage,
            held=heartbeat.held if heartbeat else hold_all,
        )
        if not self._settings.no_search:
            held = partial(heartbeat.held, "index") if heartbeat else hold_all
            yield Indexer(store.text_index, self.metrics, outage=self._outage, held=held)
        yield from self._judging(store, heartbeat)
        yield from self._alerting(store, heartbeat)

    def _judging(self, store: ClickHouseStore, heartbeat: Heartbeat | None) -> Iterator[Part]:
        """Yield the components that queue and judge runs for online rules, and run experiments."""
        held = partial(heartbeat.held, JUDGE) if heartbeat else hold_all
        rules = CurrentRules(store.online_rules)
        yield OnlineFollower(store, rules, self.metrics, outage=self._outage, held=held)
        yield OnlineWorker(store, rules, self.metrics, outage=self._outage, held=held)
        yield ExperimentRunner(store, self._outage, held)

    def _alerting(self, store: ClickHouseStore, heartbeat: Heartbeat | None) -> Iterator[Part]:
        """Yield the components that deliver and evaluate alerts."""
        settings, held = self._settings, partial(heartbeat.held, JUDGE) if heartbeat else hold_all
        deliverer = AlertDeliverer(
            store,
            partial(HttpSender, allows_private=settings.alert_private),
            self.metrics,
            base_url=self._base_url,
            outage=self._outage,
            held=held,
        )
        yield deliverer
        yield AlertWatcher(
            store,
            FeedFollower(store.feed, store.followers, FOLLOWER),
            self.metrics,
            notify=deliverer.notice,
            outage=self._outage,
            held=held,
        )

    def _base_url(self) -> str:
        """Return the URL of the web page for other machines."""
        settings = self._settings
        port = self._supervisor.ports().get("api", settings.api_port)
        address = authority(_REACHED.get(settings.host, settings.host), port)
        return settings.public_url.rstrip("/") or f"{self._scheme}://{address}"

    def _sql_url(self, listener: socket.socket | None) -> str | None:
        """Return the SQL port's URL for this process; with TLS the host name is unknown."""
        if listener is None or self._settings.tls_cert:
            return None
        host, port, *_ = listener.getsockname()
        return f"http://{authority(_REACHED.get(host, host), port)}"

    def _api(
        self,
        shared: Shared,
        store: Store,
        listener: socket.socket,
        sql_listener: socket.socket | None,
        importer: FileImporter | None,
        by_project: LimitsByProject | None,
    ) -> Part:
        door = open_mcp_door(self._sql_url(sql_listener)) if self._settings.mcp else None
        app = create_api(
            store,
            self.metrics,
            self._readiness.reasons,
            shared.access,
            hosts=self._settings.api_hosts.split(","),
            has_trajectories=Role.API in self._roles,
            has_search=not self._settings.no_search,
            extractor_version=EXTRACTOR_VERSION,
            troubles=self._supervisor.troubles,
            sql_port=sql_listener.getsockname()[1] if sql_listener else None,
            otlp_http=self._otlp_http,
            ports=self._supervisor.ports,
            importer=importer,
            alert_private=self._settings.alert_private,
            others=self._other_routes(door),
            examine=SelfExamination(
                self._settings,
                self._supervisor,
                shared.access.keys.list,
            ),
            retention=self._retention,
            limits_of=by_project.of if by_project else None,
        )
        if door is not None:
            door.use_api(app)
        context = shared.tls.http_context(ask_clients=False) if shared.tls else None
        return HttpServer(app, listener, "api", context, app.state.services.feed.stop)

    def _importer(self, store: ReadingStore) -> FileImporter | None:
        """Return the importer of files; ``None`` unless this process has API and collector."""
        if (Role.COLLECT | Role.API) not in self._roles:
            return None
        return FileImporter(temporary_in(self._settings.data_dir), store)

    def _other_routes(self, door: McpEndpoint | None) -> Sequence[APIRouter]:
        """Return the routes in addition to the API: the MCP endpoint and the page."""
        page = [page_router()] if Role.API in self._roles else []
        return page if door is None else [door.router(), *page]

    def _sql(self, shared: Shared, queues: QueueReader, listener: socket.socket) -> Part:
        settings = self._settings
        engine = EmbeddedSql(store_path(settings.resolved_store_url))
        self._supervisor.at_end(engine.close)
        door = SqlDoor(
            Reader(engine, sql_limits_of(settings), partial(_withheld, queues)),
            shared.access.authenticator,
            Hosts(settings.api_hosts.split(",")),
            self.metrics,
            at_a_time=settings.sql_queries,
        )
        context = shared.tls.http_context(ask_clients=False) if shared.tls else None
        return HttpServer(door, listener, "sql", context, door.end)

    def _opening(self) -> Opening | None:
        """Return how to connect to the ClickHouse server; ``None`` for an embedded store."""
        if self._settings.is_embedded:
            return None
        oldest = OLDEST_WRITABLE if self._roles == Role.COLLECT else None
        return Opening(self._settings.resolved_store_url, oldest, _names_of(self._roles))

    def _open_keys(self, opening: Opening | None) -> KeyStore:
        if opening:
            return keys_on(opening)
        return open_key_store(self._settings.resolved_store_url, self._settings.data_dir)

    def _known_keys(self) -> LastKnown | None:
        """Return the cache of a server's keys; only a collector has a directory for its file."""
        if self._settings.is_embedded:
            return None
        directory = self._settings.data_dir.absolute()
        return LastKnown(directory / KEYS_KNOWN if Role.COLLECT in self._roles else None)

    def _heartbeat(self) -> Heartbeat | None:
        """Return the heartbeat of this process; ``None`` with an embedded store."""
        settings = self._settings
        if settings.is_embedded:
            return None
        me = secrets.token_hex(8)
        workers = open_workers(settings.resolved_store_url, me, WRITER)
        self._supervisor.at_end(workers.close)
        return Heartbeat(workers, me, self._kinds(), self.metrics, outage=self._outage)

    def _kinds(self) -> Sequence[str]:
        """Return the kinds of work of this process, by their names in heartbeats."""
        kinds = {
            "collect": Role.COLLECT in self._roles,
            "extract": Role.EXTRACT in self._roles,
            "index": Role.EXTRACT in self._roles and not self._settings.no_search,
            "api": Role.API in self._roles,
            "keeper": Role.KEEP in self._roles,
        }
        return [kind for kind, does in kinds.items() if does]

    def _keeper(self, opening: Opening | None) -> Part:
        upkeep = upkeep_on(opening) if opening else open_upkeep(self._settings.resolved_store_url)
        self._supervisor.at_end(upkeep.close)
        settings = self._settings
        retention = Retention(
            terms_of(settings),
            settings.resolved_retention_file,
            settings.deletion_days,
            keeps_annotated=not settings.expire_annotated,
        )
        keeper = Keeper(
            upkeep,
            retention,
            time.time_ns if settings.is_embedded else upkeep.now_ns,
            quiet_s=settings.finish_upgrade_s,
            waits=opening is not None,
            outage=self._outage,
        )
        self._readiness.require(lambda: keeper.lacks)
        self._retention = lambda: keeper.plan
        return keeper

    def _bind(self, option: str) -> socket.socket:
        listener = bind(self._settings.host, getattr(self._settings, option), flag_of(option))
        self._supervisor.at_end(listener.close)
        return listener


def _names_of(roles: Role) -> list[str]:
    """Return the names of these roles in the list of rights that each role needs."""
    names = {
        Role.COLLECT: "collect",
        Role.EXTRACT: "extract",
        Role.API: "api",
        Role.KEEP: "keeper",
    }
    return [name for role, name in names.items() if role in roles]


def _withheld(queues: QueueReader, project: str | None) -> Collection[tuple[str, str]]:
    """Return project and id of the traces whose annotations and scores are not yet visible."""
    return withheld_from_all(queues, Reach.ALL if project is None else Reach.only(project))
