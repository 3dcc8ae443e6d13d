"""The only wiring: builds every part from the settings, starts and stops them in order."""

from __future__ import annotations

import time
from contextlib import ExitStack
from enum import Flag, auto
from typing import TYPE_CHECKING, Self

from spanloom.api.app import create_app as create_api
from spanloom.collector.doors.http import create_app as create_receiver
from spanloom.collector.doors.langfuse.ingestion import LangfuseIngestion
from spanloom.collector.doors.langfuse.observations import Observations
from spanloom.collector.doors.otlp.grpc import GrpcReceiver
from spanloom.collector.intake.export import Exporter
from spanloom.collector.intake.limits import Limits
from spanloom.collector.spool.spool import Spool
from spanloom.collector.spool.writer import Writer
from spanloom.config import OptionError, flag_of
from spanloom.core.errors import SpanloomError, StoreUnavailableError
from spanloom.extractor.extract import EXTRACTOR_VERSION
from spanloom.extractor.readiness import Timing
from spanloom.extractor.worker import Extractor
from spanloom.process.datadir import DataDir
from spanloom.process.serving import HttpServer, bind
from spanloom.storage.engine.connect import open_store
from spanloom.telemetry import Metrics

if TYPE_CHECKING:
    import socket
    import threading
    from collections.abc import Sequence

    from starlette.types import ASGIApp

    from spanloom.config import Settings
    from spanloom.core.ports.store import Store

_WATCH_S = 0.2
_MIN_GRACE_S = 0.5


class ServiceFailedError(SpanloomError):
    """A running part had to give up: the process ends rather than pretend."""


class Part(Flag):
    """What a process does; on the embedded store one process does it all."""

    COLLECT = auto()
    EXTRACT = auto()
    API = auto()


EVERYTHING = Part.COLLECT | Part.EXTRACT | Part.API


class Service:
    """The parts of one process: built and started on entering, drained and closed on leaving.

    Each part, once started, leaves on a stack how to stop it. Leaving unwinds the stack, also
    when a start fails half way: receivers, writer, extractor, API, spool, store, directory.
    """

    def __init__(self, settings: Settings, parts: Part = EVERYTHING) -> None:
        """Take the options; raises ``OptionError`` if the parts cannot run on the store."""
        if settings.is_embedded and Part.COLLECT not in parts:
            raise OptionError(
                "this part alone needs a ClickHouse server (--store-url clickhouse://…): the "
                "embedded store belongs to one process, and `spanloom serve` does all in one"
            )
        self.metrics = Metrics()
        self.addresses: dict[str, str] = {}
        self._settings = settings
        self._parts = parts
        self._stack = ExitStack()
        self._unready: Sequence[str] = ("starting",)
        self._failure: Exception | None = None
        self._stop_by = float("inf")

    def __enter__(self) -> Self:
        """Start everything; raises ``StartupError`` with the one line to print."""
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        self._unready = ()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop everything; what the store has not taken in time stays in the spool."""
        self._stop()

    def wait(self, until: threading.Event) -> None:
        """Return when the event is set; raise ``ServiceFailedError`` if a part gives up first."""
        while not until.wait(_WATCH_S):
            if self._failure is not None:
                raise ServiceFailedError(
                    f"the spool in {self._settings.data_dir} could not be written, so nothing "
                    f"can be acknowledged any more: {self._failure}"
                ) from self._failure

    def _start(self) -> None:
        settings = self._settings
        if Part.COLLECT in self._parts:
            data = DataDir(settings.data_dir)
            self._stack.callback(data.release)
            listener = self._bind("otlp_http_port")
        api_listener = self._bind("api_port")
        store = open_store(settings.resolved_store_url, settings.retention_days)
        self._stack.callback(store.close)
        self._start_api(store, api_listener)
        if Part.EXTRACT in self._parts:
            self._start_extractor(store)
        if Part.COLLECT in self._parts:
            self._start_collector(store, data, listener)

    def _start_api(self, store: Store, listener: socket.socket) -> None:
        hosts = [host.strip() for host in self._settings.api_hosts.split(",") if host.strip()]
        app = create_api(
            store,
            self.metrics,
            lambda: self._unready or _store_trouble(store),
            hosts=hosts,
            has_trajectories=Part.API in self._parts,
            extractor_version=EXTRACTOR_VERSION,
        )
        self._serve("api", app, listener)

    def _start_extractor(self, store: Store) -> None:
        settings = self._settings
        timing = Timing(
            root_quiet_s=settings.root_quiet_s,
            no_root_quiet_s=settings.no_root_quiet_s,
            growing_first_s=settings.growing_first_s,
            growing_max_s=settings.growing_max_s,
            poll_s=settings.poll_s,
        )
        extractor = Extractor(store, self.metrics, timing)
        extractor.start()
        self._stack.callback(lambda: extractor.stop(self._left_s()))

    def _start_collector(self, store: Store, data: DataDir, listener: socket.socket) -> None:
        settings = self._settings
        limits = Limits(
            max_request_bytes=settings.max_request_bytes,
            max_in_flight_bytes=settings.max_in_flight_bytes,
        )
        spool = Spool(data.spool, settings.spool_max_bytes, self.metrics, on_fatal=self._fail)
        self._stack.callback(spool.close)
        batch_bytes = min(settings.batch_max_bytes, settings.spool_max_bytes // 2)
        writer = Writer(spool, store, self.metrics, batch_bytes, settings.batch_wait_s)
        writer.start()
        self._stack.callback(writer.stop)
        self._stack.callback(lambda: writer.drain(self._left_s()))
        exporter = Exporter(spool, self.metrics, limits)
        observations = Observations(data.observations)
        self._stack.callback(observations.close)
        langfuse = LangfuseIngestion(exporter, observations, limits)
        self._serve("otlp_http", create_receiver(exporter, limits, langfuse), listener)
        receiver = GrpcReceiver(exporter, settings.host, settings.otlp_grpc_port, limits)
        self._announce("otlp_grpc", receiver.start())
        self._stack.callback(lambda: receiver.stop(self._left_s()))
        self._stack.callback(exporter.close)

    def _stop(self) -> None:
        self._unready = ("stopping",)
        self._stop_by = time.monotonic() + self._settings.shutdown_s
        self._stack.close()

    def _fail(self, error: Exception) -> None:
        self._failure = self._failure or error

    def _left_s(self) -> float:
        return max(self._stop_by - time.monotonic(), _MIN_GRACE_S)

    def _bind(self, option: str) -> socket.socket:
        listener = bind(self._settings.host, getattr(self._settings, option), flag_of(option))
        self._stack.callback(listener.close)
        return listener

    def _serve(self, name: str, app: ASGIApp, listener: socket.socket) -> None:
        server = HttpServer(app, listener, name)
        server.start()
        self._stack.callback(lambda: server.stop(self._left_s()))
        self._announce(name, server.port)

    def _announce(self, name: str, port: int) -> None:
        host = self._settings.host
        self.addresses[name] = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _store_trouble(store: Store) -> Sequence[str]:
    try:
        store.ping()
    except StoreUnavailableError as error:
        return (f"the store does not answer: {error}",)
    return ()
