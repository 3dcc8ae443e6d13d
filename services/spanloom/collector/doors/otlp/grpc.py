"""The gRPC server for OTLP; ``door.py`` has the handlers for requests.

gRPC passes requests and responses as bytes, so that a malformed request is reported as
INVALID_ARGUMENT; if gRPC parsed requests, it would report INTERNAL. Bodies are also inflated here,
because gRPC would inflate a body before the request could be refused.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import TYPE_CHECKING
from urllib.parse import unquote

import grpc

from spanloom.access.authenticate import require
from spanloom.access.refusals import Cause, RefusalLog
from spanloom.collector.doors.decompress import GZIP_MAGIC, gunzip
from spanloom.collector.doors.otlp.door import encode_response, make_exports
from spanloom.collector.doors.otlp.grpc_calls import Health, MessageReader, abort
from spanloom.collector.doors.status import Encoding, status_codes
from spanloom.core.errors import StartupError
from spanloom.core.model.access import Scope
from spanloom.core.model.notation import authority
from spanloom.threads import UnexpectedEndError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanloom.access.authenticate import Authenticator
    from spanloom.collector.doors.otlp.door import Export
    from spanloom.collector.intake.admission import Reservation
    from spanloom.collector.intake.export import Exporter, ExportOutcome
    from spanloom.collector.intake.limits import Limits
    from spanloom.core.model.access import Caller

    Handler = Callable[[Iterator[bytes], grpc.ServicerContext], bytes]

_SERVICE = "opentelemetry.proto.collector.{0}.v1.{1}Service"
_NAMES = {"traces": ("trace", "Trace"), "logs": ("logs", "Logs"), "metrics": ("metrics", "Metrics")}
_MIN_PING_MS = 5_000
"""The shortest allowed interval between pings, in ms.

Clients ping every ten seconds, even without calls; this must not count as abuse.
"""
_REFUSERS = 8
"""Threads in addition to ``Limits.readers``, so that a thread is free to refuse calls.

gRPC's own limit answers RESOURCE_EXHAUSTED without a retry hint, which clients treat as permanent.
"""
_NONE_AND_GZIP = 1 << grpc.Compression.NoCompression | 1 << grpc.Compression.Gzip
"""Bit set of the accepted compressions; gRPC answers UNIMPLEMENTED to any other compression."""
_NO_METHOD = "There is no such method; traces, logs and metrics have Export of OTLP."


class GrpcReceiver:
    """Serves the trace, logs and metrics services on one port; implements ``Part``."""

    name = "otlp_grpc"

    def __init__(
        self,
        exporter: Exporter,
        host: str,
        port: int,
        limits: Limits,
        authenticator: Authenticator,
        tls: grpc.ServerCredentials | None = None,
    ) -> None:
        """Create the server; for port 0, ``start`` chooses a free port and sets ``port``."""
        self._tls = tls
        self.port = port
        self._exporter = exporter
        self._limits = limits
        self._authenticator = authenticator
        self._host = host
        self._serving = False
        self._reader = MessageReader(
            limits.message_timeout_s, limits.readers, limits.max_request_bytes
        )
        self._handling = BoundedSemaphore(limits.workers)
        self._refusals = RefusalLog()
        self._server = grpc.server(
            ThreadPoolExecutor(limits.readers + _REFUSERS, thread_name_prefix="otlp-grpc"),
            interceptors=[_UnknownMethods(self._refusals)],
            options=[
                ("grpc.max_receive_message_length", limits.max_request_bytes),
                ("grpc.max_concurrent_streams", limits.max_waiting),  # per connection
                ("grpc.per_message_decompression", 0),
                ("grpc.compression_enabled_algorithms_bitset", _NONE_AND_GZIP),
                ("grpc.so_reuseport", 0),  # a second process must fail instead of sharing the port
                ("grpc.keepalive_permit_without_calls", 1),
                ("grpc.http2.min_ping_interval_without_data_ms", _MIN_PING_MS),
                ("grpc.http2.max_ping_strikes", 0),
            ],
        )
        services = [_SERVICE.format(*names) for names in _NAMES.values()]
        self._health = Health(self._server, services, self._reader)
        exports = make_exports(exporter, limits)
        self._server.add_generic_rpc_handlers(
            [
                self._service(signal, _SERVICE.format(*names), exports[signal])
                for signal, names in _NAMES.items()
            ]  # a list, because gRPC iterates over it more than once
        )

    @property
    def failed(self) -> BaseException | None:
        """See ``Part``; only checks whether gRPC's own threads still run."""
        if not self._serving or self._server.wait_for_termination(timeout=0):
            return self._reader.failed
        return UnexpectedEndError("the gRPC server stopped unexpectedly")

    def start(self) -> None:
        """Listen and serve. Raises ``StartupError`` if the port cannot be bound."""
        address = authority(self._host, self.port)
        try:
            if self._tls is None:
                self.port = self._server.add_insecure_port(address)
            else:
                self.port = self._server.add_secure_port(address, self._tls)
        except RuntimeError as error:
            raise StartupError(
                f"cannot listen on {address} for OTLP/gRPC: the port is in use or not allowed; "
                "use --otlp-grpc-port to choose another"
            ) from error
        self._reader.start()
        self._server.start()
        self._health.start()
        self._serving = True

    def drain(self) -> None:
        """Report NOT_SERVING to health checks from now on; calls still get responses."""
        self._health.stop()

    def stop(self, grace_s: float) -> None:
        """Accept no more calls; let current calls finish within ``grace_s`` seconds."""
        self._serving = False
        self.drain()
        self._server.stop(grace_s).wait()
        self._reader.stop()

    def _service(
        self, signal: str, name: str, export: Export
    ) -> grpc.GenericRpcHandler[bytes, bytes]:
        # On the wire a stream of one message equals a unary call, but allows us to read it
        # ourselves.
        method = grpc.stream_unary_rpc_method_handler(self._handler(signal, export))
        return grpc.method_handlers_generic_handler(name, {"Export": method})

    def _handler(self, signal: str, export: Export) -> Handler:
        def handle(messages: Iterator[bytes], context: grpc.ServicerContext) -> bytes:
            with self._exporter.budget.reserve() as share:
                try:
                    caller = self._authenticate(context)
                    body = self._reader.read(messages, context)
                    outcome = self._export(body, export, caller.key_project, share)
                except grpc.RpcError:  # the client is gone
                    raise
                except Exception as error:  # any error becomes a status
                    outcome_name = status_codes(error).outcome
                    self._exporter.count_request(signal, "grpc", outcome_name)
                    self._refusals.note(Cause(outcome_name, signal, _host(context)), str(error))
                    abort(context, error)
                self._exporter.count_request(signal, "grpc", outcome.name)
                return encode_response(outcome, Encoding.PROTOBUF)

        return handle

    def _authenticate(self, context: grpc.ServicerContext) -> Caller:
        """Return the caller before the message is read; raise if the key may not send telemetry."""
        metadata = [
            (name, value) for name, value in context.invocation_metadata() if isinstance(value, str)
        ]
        caller = self._authenticator.authenticate(metadata, only_sends=True)
        require(caller, Scope.INGEST)
        self._exporter.admit(caller.key_project)
        return caller

    def _export(
        self, body: bytes, export: Export, project: str, share: Reservation
    ) -> ExportOutcome:
        """Export one message; inflate it if it begins like gzip, as no protobuf message does."""
        share.grow(len(body))
        with self._handling:
            if body.startswith(GZIP_MAGIC):
                with self._exporter.inflating(share, project):
                    body = gunzip(body, self._limits, share)
            with self._exporter.handling(len(body), project):
                return export(body, Encoding.PROTOBUF, project)


class _UnknownMethods(grpc.ServerInterceptor):  # type: ignore[type-arg]  # generic in stubs alone
    """Logs calls to unknown methods, which gRPC itself refuses; the sender is not known."""

    def __init__(self, refusals: RefusalLog) -> None:
        self._refusals = refusals

    def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails], grpc.RpcMethodHandler[bytes, bytes] | None
        ],
        details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        handler = continuation(details)
        if handler is None:
            self._refusals.note(Cause("not_found", details.method, ""), _NO_METHOD)
        return handler


def _host(context: grpc.ServicerContext) -> str:
    """Return the caller's address without its port: ``ipv4:10.0.0.7:51234`` is ``10.0.0.7``."""
    return unquote(context.peer()).partition(":")[2].rpartition(":")[0]
