"""Routes about the service: health, readiness, description and Prometheus metrics."""

from __future__ import annotations

from fastapi.testclient import TestClient
from tests.support.access import open_access
from tests.support.memory_keys import MemoryKeys
from tests.support.memory_store import MemoryStore

from spanloom import __version__
from spanloom.access.authenticate import Access, Authenticator, Keyring
from spanloom.access.keys import KeyAdministration
from spanloom.access.last_known import LastKnown
from spanloom.api.app import create_app
from spanloom.api.services import ServingProcess
from spanloom.metrics import Metrics


def test_health_is_always_ok(client: TestClient, reasons: list[str]) -> None:
    reasons.append("anything")
    for path in ("/livez", "/healthz"):
        assert client.get(path).json() == {"status": "ok"}


def test_while_no_keys_are_known_a_caller_is_to_try_again() -> None:
    keyring = Keyring(MemoryKeys(is_down=True), known=LastKnown(), poll_s=3600)
    keyring.start()
    access = Access(Authenticator(keyring, open_without_keys=True), KeyAdministration(MemoryKeys()))
    app = create_app(MemoryStore(), Metrics(), access)
    client = TestClient(app, base_url="http://127.0.0.1")
    for path in ("/metrics", "/v1/trajectories", "/nowhere"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert client.get("/livez").status_code == client.get("/readyz").status_code == 200
    keyring.stop()


def test_it_tells_its_port_of_sql_if_it_has_one(client: TestClient) -> None:
    none = dict.fromkeys(("sql_port", "otlp_http_port", "otlp_grpc_port"))
    assert client.get("/v1/service").json() == {"version": __version__, **none}
    app = create_app(MemoryStore(), Metrics(), open_access(), ServingProcess(sql_port=8124))
    answer = TestClient(app, base_url="http://127.0.0.1").get("/v1/service")
    assert answer.json()["sql_port"] == 8124


def test_ready_when_there_is_no_reason_against(client: TestClient) -> None:
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "reasons": []})


def test_ready_and_limited_names_every_trouble(client: TestClient, troubles: list[str]) -> None:
    troubles.append("the disk is almost full")
    answer = client.get("/readyz")
    expected = {"status": "degraded", "reasons": ["the disk is almost full"]}
    assert (answer.status_code, answer.json()) == (200, expected)


def test_not_ready_names_every_reason(client: TestClient, reasons: list[str]) -> None:
    reasons += ["the store does not answer", "stopping"]
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["retry-after"] == "1"
    assert answer.json()["reasons"] == ["the store does not answer", "stopping"]


def test_figures_are_prometheus_text(client: TestClient) -> None:
    client.get("/healthz")
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'spanloom_api_requests_total{route="/healthz",status="200"} 1.0' in answer.text
    assert "\nprocess_resident_memory_bytes " in answer.text


def test_a_part_that_runs_alone_serves_only_these() -> None:
    process = ServingProcess(has_trajectories=False)
    app = create_app(MemoryStore(), Metrics(), open_access(), process)
    client = TestClient(app, base_url="http://127.0.0.1")
    assert list(client.get("/openapi.json").json()["paths"]) == [
        "/livez",
        "/healthz",
        "/readyz",
        "/metrics",
        "/v1/service",
        "/v1/doctor",
    ]
    assert client.get("/v1/trajectories").status_code == 404
