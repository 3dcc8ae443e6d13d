"""Fixtures for integration tests: an OTLP receiver over gRPC and HTTP on free ports."""

from __future__ import annotations

from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING

import grpc
import httpx
import pytest
import uvicorn
from tests.support.access import open_access
from tests.support.receiver import LIMITS, Receiver

from spanloom.collector.doors.http import create_app
from spanloom.collector.doors.otlp.grpc import GrpcReceiver
from spanloom.collector.intake.export import Exporter
from spanloom.collector.spool.spool import Spool
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    metrics = Metrics()
    spool = Spool(tmp_path_factory.mktemp("spool") / "spool.sqlite", 1 << 30, metrics)
    exporter = Exporter(spool, metrics, LIMITS)
    authenticator = open_access().authenticator
    grpc_receiver = GrpcReceiver(exporter, "127.0.0.1", 0, LIMITS, authenticator)
    grpc_receiver.start()
    grpc_port = grpc_receiver.port
    config = uvicorn.Config(
        create_app(exporter, LIMITS, authenticator),
        host="127.0.0.1",
        port=0,
        log_level="error",
        lifespan="off",
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run)
    thread.start()
    until = monotonic() + 10
    while not server.started and monotonic() < until:
        sleep(0.005)
    http_port = server.servers[0].sockets[0].getsockname()[1]
    with httpx.Client(base_url=f"http://127.0.0.1:{http_port}") as client:
        yield Receiver(exporter, spool, metrics, grpc_port, http_port, client, grpc_receiver)
    server.should_exit = True
    thread.join()
    grpc_receiver.stop(0)
    spool.close()


@pytest.fixture
def channel(receiver: Receiver) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(f"127.0.0.1:{receiver.grpc_port}") as opened:
        yield opened
