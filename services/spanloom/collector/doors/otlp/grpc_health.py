"""gRPC's own health service (``grpc.health.v1.Health``) beside the receivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grpc_health.v1.health import OVERALL_HEALTH, HealthServicer
from grpc_health.v1.health_pb2 import HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server

if TYPE_CHECKING:
    from collections.abc import Sequence

    import grpc


class Health:
    """Tells who asks whether the services are served: of each by its name, of all by none."""

    def __init__(self, server: grpc.Server, services: Sequence[str]) -> None:
        """Add the health service to a server that is not started yet."""
        self._services = (OVERALL_HEALTH, *services)
        # A stream of a watcher holds no thread.
        self._servicer = HealthServicer(experimental_non_blocking=True)
        add_HealthServicer_to_server(self._servicer, server)

    def start(self) -> None:
        """Answer SERVING."""
        for service in self._services:
            self._servicer.set(service, HealthCheckResponse.SERVING)

    def stop(self) -> None:
        """Answer NOT_SERVING from now on; watchers are told."""
        self._servicer.enter_graceful_shutdown()
