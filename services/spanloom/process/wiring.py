"""The wiring: builds the components of each role from the settings, in start order."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING, Self

from spanloom.access.authenticate import Keyring
from spanloom.access.last_known import KEYS_KNOWN, STORE_KNOWN, LastKnown
from spanloom.config.loading import OptionError
from spanloom.config.section import flag_of
from spanloom.heartbeat import Heartbeat
from spanloom.keeper import Keeper, Retention
from spanloom.metrics import Metrics
from spanloom.outage import Outage
from spanloom.process.addresses import url_of
from spanloom.process.answering import build_api, build_sql
from spanloom.process.collecting import build_collector
from spanloom.process.datadir import DataDir, temporary_in
from spanloom.process.extracting import build_extractor
from spanloom.process.imports.importer import FileImporter
from spanloom.process.late_store import LateStore
from spanloom.process.narrator import Narrator
from spanloom.process.options import access_of, project_limits_of, terms_of, tls_of
from spanloom.process.readiness import Readiness, store_trouble
from spanloom.process.roles import EVERYTHING, Role, kinds_of, names_of
from spanloom.process.serving import bind
from spanloom.process.shared import Shared
from spanloom.process.supervisor import Supervisor
from spanloom.storage.access import keys_on, open_key_store
from spanloom.storage.engine.connect import keep_store_id
from spanloom.storage.engine.embedded import give_back_code
from spanloom.storage.engine.late import Opening
from spanloom.storage.engine.migrate import OLDEST_WRITABLE
from spanloom.storage.engine.statements import WRITER
from spanloom.storage.store import open_late, open_store
from spanloom.storage.upkeep.store import open_upkeep, upkeep_on
from spanloom.storage.workers import open_workers

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

    from spanloom.access.authenticate import Access
    from spanloom.config.settings import Settings
    from spanloom.core.model.upkeep import RetentionPlan
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.ports.upkeep import KeyStore
    from spanloom.process.supervisor import Ending, Part
    from spanloom.process.tls import TlsFiles
    from spanloom.storage.store import ClickHouseStore


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
            name: url_of(self._settings, port) for name, port in self._supervisor.ports().items()
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
        otlp_http = ""
        if Role.COLLECT in self._roles:
            data = DataDir(settings.data_dir)
            at_end(data.release)
            if settings.is_embedded:
                data.warn_if_store_missing(settings.data_dir / "store")
            else:
                keep_store_id(settings.resolved_store_url, LastKnown(data.path / STORE_KNOWN))
            listener = self._bind("otlp_http_port")
            otlp_http = url_of(settings, listener.getsockname()[1])
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
        shared = self._shared(access, tls)
        store = late or self._open_now()
        self._require(access, store)
        heartbeat = self._heartbeat()
        if heartbeat:
            yield heartbeat
        importer = self._importer(store)
        by_project = project_limits_of(settings) if Role.COLLECT in self._roles else None
        yield build_api(
            shared,
            store,
            api_listener,
            sql_listener,
            otlp_http=otlp_http,
            importer=importer,
            by_project=by_project,
            retention=self._retention,
        )
        if sql_listener:
            yield build_sql(shared, store.queues, sql_listener)
        if Role.EXTRACT in self._roles:
            yield from build_extractor(shared, store, heartbeat)
        if by_project:
            yield from build_collector(
                shared, store.spans, store.usage, by_project, data, listener, importer
            )
            yield Narrator(self.metrics)

    def _shared(self, access: Access, tls: TlsFiles | None) -> Shared:
        return Shared(
            self._settings,
            self._roles,
            self.metrics,
            access,
            tls,
            self._outage,
            self._readiness,
            self._supervisor,
        )

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

    def _importer(self, store: ReadingStore) -> FileImporter | None:
        """Return the importer of files; ``None`` unless this process has API and collector."""
        if (Role.COLLECT | Role.API) not in self._roles:
            return None
        return FileImporter(temporary_in(self._settings.data_dir), store)

    def _opening(self) -> Opening | None:
        """Return how to connect to the ClickHouse server; ``None`` for an embedded store."""
        if self._settings.is_embedded:
            return None
        oldest = OLDEST_WRITABLE if self._roles == Role.COLLECT else None
        return Opening(self._settings.resolved_store_url, oldest, names_of(self._roles))

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
        kinds = kinds_of(self._roles, has_search=not settings.no_search)
        workers = open_workers(settings.resolved_store_url, me, WRITER)
        self._supervisor.at_end(workers.close)
        return Heartbeat(workers, me, kinds, self.metrics, outage=self._outage)

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
