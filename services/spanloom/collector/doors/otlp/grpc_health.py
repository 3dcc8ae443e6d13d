"""gRPC's own health service (``grpc.health.v1.Health``) beside the receivers.

Its requests are read like any other (``grpc_reading.py``): gRPC would wait for them for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
from google.protobuf.message import DecodeError
from grpc_health.v1.health import OVERALL_HEALTH, SERVICE_NAME, HealthServicer
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

from spanloom.collector.doors.otlp.grpc_status import abort
from spanloom.core.errors import InvalidRequestError, SpanloomError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.collector.doors.otlp.grpc_reading import MessageReader

    Send = Callable[[HealthCheckResponse | None], None]


class Health:
    """Tells who asks whether the services are served: of each by its name, of all by none."""

    def __init__(self, server: grpc.Server, services: Sequence[str], reader: MessageReader) -> None:
        """Add the health service to a server that is not started yet."""
        self._services = (OVERALL_HEALTH, *services)
        self._reader = reader
        self._servicer = HealthServicer()
        encode = HealthCheckResponse.SerializeToString

        def watch(messages: Iterator[bytes], context: grpc.ServicerContext, send: Send) -> None:
            self._servicer.Watch(self._read(messages, context), context, send)

        watch.experimental_non_blocking = True  # type: ignore[attr-defined]  # holds no thread
        methods = {
            "Check": grpc.stream_unary_rpc_method_handler(self._check, None, encode),
            "Watch": grpc.stream_stream_rpc_method_handler(watch, None, encode),
        }
        handler = grpc.method_handlers_generic_handler(SERVICE_NAME, methods)
        server.add_generic_rpc_handlers((handler,))

    def start(self) -> None:
        """Answer SERVING."""
        for service in self._services:
            self._servicer.set(service, HealthCheckResponse.SERVING)

    def stop(self) -> None:
        """Answer NOT_SERVING from now on; watchers are told."""
        self._servicer.enter_graceful_shutdown()

    def _check(
        self, messages: Iterator[bytes], context: grpc.ServicerContext
    ) -> HealthCheckResponse:
        return self._servicer.Check(self._read(messages, context), context)

    def _read(self, messages: Iterator[bytes], context: grpc.ServicerContext) -> HealthCheckRequest:
        try:
            return HealthCheckRequest.FromString(self._reader.read(messages, context))
        except DecodeError as error:
            abort(context, InvalidRequestError(f"The request cannot be read: {error}."))
        except SpanloomError as error:
            abort(context, error)
