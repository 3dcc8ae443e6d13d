"""The whole service over a failing store: clients notice it late, by refusals with a hint."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import httpx
import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SpanExportResult
from tests.support.failing_store import FailingStore, failing_store, service_over
from tests.support.ledger import Ledger, Outcome, Request, SentSpan
from tests.support.senders import GrpcClient, Load, all_clients
from tests.support.settling import check_api

from spanloom.config.loading import load_settings
from spanloom.process.wiring import Service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.service


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> FailingStore:
    return failing_store(monkeypatch)


@pytest.fixture
def service(store: FailingStore, tmp_path: Path) -> Iterator[Service]:
    with service_over(store, tmp_path / "data") as running:
        yield running


def fillers(name: str) -> list[Request]:
    """Return requests that leave room in the spool for a few hundred small ones."""
    ids = [f"{number:02x}" for number in range(1, 5)]
    return [(SentSpan(i * 16, i * 8, "", f"{name} {i} " + "x" * 180_000, 10**18),) for i in ids]


def fill_spool(service: Service, ledger: Ledger) -> None:
    """Send until every client of every transport is refused with a hint."""
    with Load(service.addresses, ledger, "filling", fillers("filler")) as load:
        load.wait_until_refused(30)
    assert len(ledger.requests(Outcome.REFUSED)) == len(load)
    assert not ledger.requests(Outcome.UNKNOWN)


def test_acknowledgements_go_on_while_the_store_is_down(
    service: Service, store: FailingStore
) -> None:
    store.is_down = True
    ledger = Ledger()
    with Load(service.addresses, ledger, "store down"):
        time.sleep(0.5)
    ready = httpx.get(f"{service.addresses['api']}/readyz")
    read = httpx.get(f"{service.addresses['api']}/v1/trajectories")
    assert (ready.status_code, read.status_code) == (503, 503)
    assert store.taken == 0
    store.is_down = False
    account = ledger.account()
    assert account.acknowledged == account.sent.keys()
    assert check_api(service.addresses["api"], account) == account.acknowledged


def test_acknowledgements_go_on_while_the_store_does_not_answer(
    service: Service, store: FailingStore
) -> None:
    """F12: the store does not answer, as if the network to it swallowed all requests."""
    store.answers.clear()
    ledger = Ledger()
    with Load(service.addresses, ledger, "no answer"):
        time.sleep(1)
    assert store.taken == 0
    assert not ledger.requests(Outcome.REFUSED)
    store.answers.set()
    account = ledger.account()
    assert account.acknowledged == account.sent.keys()
    assert check_api(service.addresses["api"], account) == account.acknowledged


def test_a_full_spool_refuses_with_a_hint_and_loses_nothing(
    service: Service, store: FailingStore
) -> None:
    store.is_down = True
    ledger = Ledger()
    fill_spool(service, ledger)
    for client in all_clients(service.addresses):
        assert client.send(fillers("refused")[0]) is Outcome.REFUSED
        client.close()
    store.is_down = False
    check_api(service.addresses["api"], ledger.account())  # afterwards the spool is empty
    with Load(service.addresses, ledger, "again", ledger.requests(Outcome.REFUSED)):
        time.sleep(0.3)
    account = ledger.account()
    assert account.acknowledged == account.sent.keys()
    assert check_api(service.addresses["api"], account) == account.acknowledged


@pytest.mark.nightly
def test_a_stock_exporter_waits_for_room_as_it_is_told(
    service: Service, store: FailingStore
) -> None:
    store.is_down = True
    fill_spool(service, Ledger())
    exporters = (
        GrpcExporter(endpoint=service.addresses["otlp_grpc"], insecure=True, timeout=60),
        HttpExporter(endpoint=f"{service.addresses['otlp_http']}/v1/traces", timeout=60),
    )
    spans = [large_span() for _ in exporters]
    recovery = threading.Timer(0.5, setattr, (store, "is_down", False))
    recovery.start()
    with ThreadPoolExecutor(len(exporters)) as threads:
        results = list(threads.map(lambda e, s: e.export([s]), exporters, spans))
    recovery.join()
    assert results == [SpanExportResult.SUCCESS] * len(exporters)
    for exporter, span in zip(exporters, spans, strict=True):
        exporter.shutdown()
        assert span.context is not None
        await_trace(service, f"{span.context.trace_id:032x}")


def large_span() -> ReadableSpan:
    """Make a span that is too large for the room that small ones have left in the spool."""
    span = TracerProvider().get_tracer("test").start_span("large", attributes={"a": "x" * 200_000})
    span.end()
    assert isinstance(span, ReadableSpan)
    return span


def await_trace(service: Service, trace_id: str) -> None:
    until = time.monotonic() + 60
    address = f"{service.addresses['api']}/v1/trajectories/{trace_id}"
    while (answer := httpx.get(address)).status_code != 200:
        assert time.monotonic() < until, answer.text
        time.sleep(0.05)
    assert answer.json()["extraction"]["span_count"] == 1


def test_lost_answers_of_the_store_double_nothing(service: Service, store: FailingStore) -> None:
    store.loses_answers = True
    ledger = Ledger()
    with Load(service.addresses, ledger, "lost answers"):
        time.sleep(0.7)
    assert store.taken > 1
    store.loses_answers = False
    account = ledger.account()
    assert check_api(service.addresses["api"], account) == account.acknowledged


def test_what_the_store_never_took_waits_for_the_next_start(
    store: FailingStore, tmp_path: Path
) -> None:
    ports = {"api_port": 0, "otlp_grpc_port": 0, "otlp_http_port": 0}
    flags = {"data_dir": tmp_path / "d", "extract_workers": 0, **ports}
    request = fillers("patient")[0]
    store.is_down = True
    with Service(load_settings({**flags, "shutdown_s": 1})) as first:
        client = GrpcClient(first.addresses["otlp_grpc"], packed=False)
        assert client.send(request) is Outcome.ACKNOWLEDGED
        client.close()
    store.is_down = False
    with Service(load_settings({**flags, "root_quiet_s": 0.1, "shutdown_s": 1})) as second:
        await_trace(second, request[0].trace_id)
