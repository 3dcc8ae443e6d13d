"""The only wiring: builds the parts of each role from the settings, in the order they start in."""

from __future__ import annotations

from enum import Flag, auto
from typing import TYPE_CHECKING, Self

from spanloom.access.access import Access
from spanloom.access.administration import KeyAdministration
from spanloom.access.authenticate import Authenticator
from spanloom.access.keyring import Keyring
from spanloom.access.limits_file import read_limits
from spanloom.access.quotas import Quotas
from spanloom.access.rates import ProjectLimits, Rates
from spanloom.api.app import create_app as create_api
from spanloom.collector.doors.http import create_app as create_receiver
from spanloom.collector.doors.langfuse.ingestion import LangfuseIngestion
from spanloom.collector.doors.langfuse.observations import Observations
from spanloom.collector.doors.otlp.grpc import GrpcReceiver
from spanloom.collector.intake.export import Exporter
from spanloom.collector.intake.limits import Limits
from spanloom.collector.intake.redaction.make import make_redactor
from spanloom.collector.intake.tenancy import claim_request
from spanloom.collector.spool.spool import Spool
from spanloom.collector.spool.writer import Writer
from spanloom.config import OptionError, flag_of, is_loopback
from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.retention import Terms
from spanloom.extractor.extract import EXTRACTOR_VERSION
from spanloom.extractor.readiness import Timing
from spanloom.extractor.worker import Extractor
from spanloom.keeper.keeper import Keeper, Retention
from spanloom.process.datadir import DataDir
from spanloom.process.self_examination import SelfExamination
from spanloom.process.serving import HttpServer, bind
from spanloom.process.supervisor import Supervisor
from spanloom.process.tls import TlsFiles
from spanloom.storage.access.open import open_key_store
from spanloom.storage.access.usage import SqliteUsage
from spanloom.storage.engine.connect import open_store, open_upkeep
from spanloom.telemetry import Metrics

if TYPE_CHECKING:
    import socket
    import threading
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.config import Settings
    from spanloom.core.ports.keys import KeyStore
    from spanloom.core.ports.store import Store
    from spanloom.process.part import Part


class Role(Flag):
    """What a process does; on the embedded store one process does it all."""

    COLLECT = auto()
    EXTRACT = auto()
    API = auto()
    KEEP = auto()


EVERYTHING = Role.COLLECT | Role.EXTRACT | Role.API | Role.KEEP


class Service:
    """The parts of one process: built and started on entering, drained and closed on leaving."""

    def __init__(self, settings: Settings, roles: Role = EVERYTHING) -> None:
        """Take the options; raises ``OptionError`` if the roles cannot run on the store."""
        if settings.is_embedded and Role.COLLECT not in roles:
            raise OptionError(
                "this part alone needs a ClickHouse server (--store-url clickhouse://…): the "
                "embedded store belongs to one process, and `spanloom serve` does all in one"
            )
        self.metrics = Metrics()
        self._settings = settings
        # Whoever owns an embedded store also keeps it: no other process can.
        self._roles = roles | Role.KEEP if settings.is_embedded else roles
        self._supervisor = Supervisor(settings.shutdown_s)

    def __enter__(self) -> Self:
        """Start everything; raises ``StartupError`` with the one line to print."""
        try:
            for part in self._parts():
                self._supervisor.start(part)
        except BaseException:
            self._supervisor.stop()
            raise
        self._supervisor.started()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop everything; what the store has not taken in time stays in the spool."""
        self._supervisor.stop()

    @property
    def addresses(self) -> dict[str, str]:
        """Where each part listens, by its name: ``{"api": "http://127.0.0.1:8080"}``."""
        host = self._settings.host
        shown = f"[{host}]" if ":" in host else host
        scheme = "https" if self._settings.tls_cert else "http"
        ports = self._supervisor.ports()
        return {name: f"{scheme}://{shown}:{port}" for name, port in ports.items()}

    def wait(self, until: threading.Event) -> None:
        """Return when the event is set; raise ``PartFailedError`` if a part fails first."""
        self._supervisor.wait(until)

    def _parts(self) -> Iterator[Part]:
        """Build the parts one by one; each is started before the next is built."""
        settings, at_end = self._settings, self._supervisor.at_end
        tls = tls_of(settings)
        if tls:
            yield tls
        if Role.COLLECT in self._roles:
            data = DataDir(settings.data_dir)
            at_end(data.release)
            listener = self._bind("otlp_http_port")
        api_listener = self._bind("api_port")
        if Role.KEEP in self._roles:
            yield self._keeper()  # before anybody opens the store: it makes its tables
        keys = open_key_store(settings.resolved_store_url, settings.data_dir)
        at_end(keys.close)
        keyring = Keyring(keys)
        yield keyring
        access = access_of(settings, keys, keyring)
        store = open_store(settings.resolved_store_url)
        at_end(store.close)
        yield self._api(store, access, tls, api_listener)
        if Role.EXTRACT in self._roles:
            yield Extractor(
                store,
                self.metrics,
                timing_of(settings),
                max_trace_spans=settings.max_trace_spans,
            )
        if Role.COLLECT in self._roles:
            yield from self._collector(store, access, tls, data, listener)

    def _api(
        self, store: Store, access: Access, tls: TlsFiles | None, listener: socket.socket
    ) -> Part:
        hosts = [host.strip() for host in self._settings.api_hosts.split(",") if host.strip()]
        app = create_api(
            store,
            self.metrics,
            lambda: self._supervisor.unready() or _store_trouble(store),
            access,
            hosts=hosts,
            has_trajectories=Role.API in self._roles,
            extractor_version=EXTRACTOR_VERSION,
            examine=SelfExamination(
                self._settings, self._supervisor.unready, self._supervisor.ports, access.keys.list
            ),
        )
        context = tls.http_context(ask_clients=False) if tls else None
        return HttpServer(app, listener, "api", context)

    def _keeper(self) -> Part:
        upkeep = open_upkeep(self._settings.resolved_store_url)
        self._supervisor.at_end(upkeep.close)
        settings = self._settings
        retention = Retention(
            terms_of(settings), settings.resolved_retention_file, settings.deletion_days
        )
        return Keeper(upkeep, retention)

    def _collector(
        self,
        store: Store,
        access: Access,
        tls: TlsFiles | None,
        data: DataDir,
        listener: socket.socket,
    ) -> Iterator[Part]:
        settings = self._settings
        limits = limits_of(settings)
        spool = Spool(data.spool, settings.spool_max_bytes, self.metrics, claim=claim_request)
        yield spool
        usage = SqliteUsage(data.usage)
        self._supervisor.at_end(usage.close)
        default, own = project_limits_of(settings)
        quotas = Quotas(usage, default, own, settings.retention_days)
        yield quotas
        rates = Rates(default, own, quotas=quotas)
        redactor = make_redactor(
            settings.redaction_rules,
            settings.redaction_secret_file,
            self.metrics,
            no_content=settings.no_content,
        )
        exporter = Exporter(spool, self.metrics, limits, rates, redactor)
        observations = Observations(
            data.observations, self.metrics, max_item_bytes=limits.max_request_bytes // 4
        )
        self._supervisor.at_end(observations.close)
        langfuse = LangfuseIngestion(exporter, observations, limits)
        receiver = create_receiver(exporter, limits, access.authenticator, langfuse)
        context = tls.http_context(ask_clients=True) if tls else None
        grpc_receiver = GrpcReceiver(
            exporter,
            settings.host,
            settings.otlp_grpc_port,
            limits,
            access.authenticator,
            tls.grpc_credentials() if tls else None,
        )
        yield grpc_receiver  # before the writer: it tells that the process drains until it has
        batch_bytes = min(settings.batch_max_bytes, settings.spool_max_bytes // 2)
        yield Writer(spool, store, self.metrics, batch_bytes, settings.batch_wait_s)
        yield HttpServer(receiver, listener, "otlp_http", context)
        self._supervisor.at_end(grpc_receiver.drain)
        self._supervisor.at_end(exporter.close)  # first of all: what comes now is refused

    def _bind(self, option: str) -> socket.socket:
        listener = bind(self._settings.host, getattr(self._settings, option), flag_of(option))
        self._supervisor.at_end(listener.close)
        return listener


def access_of(settings: Settings, keys: KeyStore, keyring: Keyring) -> Access:
    """Return who may come in.

    Raises ``OptionError`` for an address that others can reach while there are no keys.
    """
    is_open = settings.insecure or is_loopback(settings.host)
    if not is_open and not keyring.has_keys:
        raise OptionError(
            f"--host {settings.host} is reachable from other machines and there are no keys: "
            "make one with `spanloom keys create`; --insecure lets anyone read and write"
        )
    return Access(Authenticator(keyring, open_without_keys=is_open), KeyAdministration(keys))


def tls_of(settings: Settings) -> TlsFiles | None:
    """Return the certificate of all ports, or ``None`` where they do not speak TLS.

    Raises ``StartupError`` if its files cannot be used.
    """
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    return TlsFiles(settings.tls_cert, settings.tls_key, settings.tls_client_ca)


def project_limits_of(settings: Settings) -> tuple[ProjectLimits, Mapping[str, ProjectLimits]]:
    """Return what a project may send and store, and the limits of those that have their own.

    Raises ``StartupError`` for a bad file of limits.
    """
    default = ProjectLimits(
        settings.project_spans_per_s,
        float(settings.project_bytes_per_s),
        int(settings.project_stored_bytes),
    )
    return default, read_limits(settings.limits_file) if settings.limits_file else {}


def terms_of(settings: Settings) -> Terms:
    """Return how long things stay, as the options say."""
    days, spans = settings.retention_days, settings.span_retention_days
    trajectories = settings.trajectory_retention_days
    return Terms(days if spans is None else spans, days if trajectories is None else trajectories)


def timing_of(settings: Settings) -> Timing:
    """Return when traces are built, as the options say."""
    return Timing(
        root_quiet_s=settings.root_quiet_s,
        no_root_quiet_s=settings.no_root_quiet_s,
        growing_first_s=settings.growing_first_s,
        growing_max_s=settings.growing_max_s,
        poll_s=settings.poll_s,
    )


def limits_of(settings: Settings) -> Limits:
    """Return the bounds of one request, as the options say."""
    return Limits(
        max_request_bytes=settings.max_request_bytes,
        max_in_flight_bytes=settings.max_in_flight_bytes,
    )


def _store_trouble(store: Store) -> Sequence[str]:
    try:
        store.ping()
    except StoreUnavailableError as error:
        return (f"the store does not answer: {error}",)
    return ()
