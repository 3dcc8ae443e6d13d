"""Builds the collector's components: spool, limits, admission, receivers, writer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.access.headers import ANY_HOST, Hosts
from spanloom.access.last_known import USAGE_KNOWN, LastKnown
from spanloom.access.limits import Rates
from spanloom.access.quotas import Quotas
from spanloom.collector.doors.http import create_app as create_receiver
from spanloom.collector.doors.langfuse.ingestion import LangfuseIngestion
from spanloom.collector.doors.langfuse.observations import Observations
from spanloom.collector.doors.otlp.grpc import GrpcReceiver
from spanloom.collector.intake.admission import Admission
from spanloom.collector.intake.export import Exporter
from spanloom.collector.intake.redaction.redactor import make_redactor
from spanloom.collector.spool.free_space import FreeSpace
from spanloom.collector.spool.sequences import EVERY, own_sequences
from spanloom.collector.spool.spool import Spool
from spanloom.collector.spool.writer import Writer
from spanloom.process.options import limits_of
from spanloom.process.serving import HttpServer

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

    from spanloom.access.limits import LimitsByProject
    from spanloom.core.ports.spans import SpanWriter
    from spanloom.core.ports.upkeep import UsageReader
    from spanloom.process.datadir import DataDir
    from spanloom.process.imports.importer import FileImporter
    from spanloom.process.shared import Shared
    from spanloom.process.supervisor import Part


FULL = "the spool is full: requests are refused until the store has accepted some"
COLLECTOR_NUMBER = "collector-number"
"""The file in the data directory with this collector's number, which makes its sequences unique."""


def build_collector(
    shared: Shared,
    spans: SpanWriter,
    usage: UsageReader,
    by_project: LimitsByProject,
    data: DataDir,
    listener: socket.socket,
    importer: FileImporter | None,
) -> Iterator[Part]:
    """Yield the components in start order; each is started before the next is built.

    ``importer`` is set up to store spans with this collector.
    """
    settings, metrics, at_end = shared.settings, shared.metrics, shared.supervisor.at_end
    limits = limits_of(settings)
    sequences = EVERY if settings.is_embedded else own_sequences(data.path / COLLECTOR_NUMBER)
    spool = Spool(data.spool, settings.spool_max_bytes, metrics, sequences=sequences)
    yield spool
    shared.readiness.require_to_collect(lambda: FULL if spool.is_full else "")
    yield by_project
    known = None if settings.is_embedded else LastKnown(data.path / USAGE_KNOWN)
    quotas = Quotas(usage, by_project, spool, known, shared.outage)
    yield quotas
    space = FreeSpace(data.path, settings.min_free_bytes)
    yield space
    admission = Admission(Rates(by_project.of), quotas, space)
    redactor = make_redactor(
        settings.redaction_rules,
        settings.redaction_secret_file,
        metrics,
        no_content=settings.no_content,
    )
    exporter = Exporter(spool, metrics, limits, admission, redactor)
    grpc = _grpc_receiver(shared, exporter)
    yield grpc  # before the writer, to report NOT_SERVING until the writer has drained
    batch_bytes = min(settings.batch_max_bytes, settings.spool_max_bytes // 2)
    yield Writer(spool, spans, metrics, batch_bytes, settings.batch_wait_s, shared.outage)
    yield _http_receiver(shared, exporter, data, listener)
    if importer:
        importer.use(exporter, limits)
        at_end(importer.close)
    at_end(grpc.drain)
    at_end(exporter.close)  # runs first: new requests are refused from then on


def _grpc_receiver(shared: Shared, exporter: Exporter) -> GrpcReceiver:
    settings = shared.settings
    return GrpcReceiver(
        exporter,
        settings.host,
        settings.otlp_grpc_port,
        limits_of(settings),
        shared.access.authenticator,
        shared.tls.grpc_credentials() if shared.tls else None,
    )


def _http_receiver(
    shared: Shared, exporter: Exporter, data: DataDir, listener: socket.socket
) -> HttpServer:
    limits = limits_of(shared.settings)
    observations = Observations(
        data.observations, shared.metrics, max_item_bytes=limits.max_request_bytes // 4
    )
    shared.supervisor.at_end(observations.close)
    langfuse = LangfuseIngestion(exporter, observations, limits)
    names = ANY_HOST if shared.settings.insecure else shared.settings.api_hosts
    receiver = create_receiver(
        exporter, limits, shared.access.authenticator, langfuse, Hosts(names.split(","))
    )
    context = shared.tls.http_context(ask_clients=True) if shared.tls else None
    return HttpServer(receiver, listener, "otlp_http", context)
