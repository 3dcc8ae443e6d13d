"""Checks that every request passes: allowed hosts, security headers and request metrics."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from structlog.testing import capture_logs
from tests.support.access import open_access
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.api.services import ServingProcess
from spanloom.metrics import Metrics


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:8080",
        "localhost",
        "LOCALHOST.:80",
        "[::1]:8080",
        "192.168.1.7",
        "spanloom.example:8080",
    ],
)
def test_addresses_and_own_names_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil", "[x]"]
)
def test_other_names_are_misdirected(client: TestClient, host: str) -> None:
    answer = client.get("/healthz", headers={"Host": host})
    assert answer.status_code == 421
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_any_name_is_answered_when_asked_for() -> None:
    app = create_app(MemoryStore(), Metrics(), open_access(), hosts=["*"])
    assert TestClient(app).get("/healthz", headers={"Host": "any.example"}).status_code == 200


@pytest.mark.parametrize("path", ["/v1/traces", "/v1/logs", "/v1/metrics", "/v1/traces/v1/traces"])
def test_exports_are_answered_with_the_address_that_takes_them(path: str) -> None:
    right = "http://127.0.0.1:4318"
    app = create_app(MemoryStore(), Metrics(), open_access(), ServingProcess(otlp_http=right))
    with capture_logs() as logged:
        answers = [
            TestClient(app, base_url="http://127.0.0.1:8080").post(path, content=b"spans")
            for _ in range(3)
        ]
    assert [answer.status_code for answer in answers] == [404] * 3
    assert right in answers[0].json()["detail"]
    assert [(line["reason"], line["path"]) for line in logged] == [("misdirected", path)]


def test_other_requests_are_no_exports(client: TestClient) -> None:
    assert client.get("/v1/traces").json()["detail"] != ""
    assert "port of the API" not in client.get("/v1/traces").text
    assert "port of the API" in client.post("/v1/traces").text


@pytest.mark.parametrize("path", ["/healthz", "/v1/trajectories", "/nowhere", "/openapi.json"])
def test_every_answer_carries_the_headers_and_no_cors(client: TestClient, path: str) -> None:
    headers = client.get(path, headers={"Origin": "http://evil.example"}).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert not [name for name in headers if name.startswith("access-control")]


def test_requests_are_counted_by_template(client: TestClient, metrics: Metrics) -> None:
    client.get(f"/v1/trajectories/{'0' * 32}")
    client.get(f"/v1/trajectories/{'1' * 32}")
    client.get("/v1/trajectories/nonsense/spans")
    client.post("/v1/trajectories")
    client.get("/any/path")
    client.get("/openapi.json")
    counted = {
        (sample.labels["route"], sample.labels["status"]): sample.value
        for family in metrics.api_requests.collect()
        for sample in family.samples
        if sample.name.endswith("_total")
    }
    assert counted == {
        ("/v1/trajectories/{trace_id}", "404"): 2,
        ("/v1/trajectories/{trace_id}/spans", "422"): 1,
        ("/v1/trajectories", "405"): 1,
        ("unmatched", "404"): 1,
        ("/openapi.json", "200"): 1,
    }
