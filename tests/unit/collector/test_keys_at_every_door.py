"""Every HTTP path and gRPC method of the receivers with every kind of key."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc
import httpx
import orjson
import pytest
from google.rpc.code_pb2 import Code
from google.rpc.status_pb2 import Status
from tests.support.access import Locks

from spanloom.access.keys import make_key
from spanloom.collector.doors.http import HttpReceiver, create_app
from spanloom.collector.doors.langfuse.ingestion import LangfuseIngestion
from spanloom.collector.doors.langfuse.observations import Observations
from spanloom.collector.doors.otlp.grpc import GrpcReceiver
from spanloom.collector.intake.export import Exporter
from spanloom.core.model.access import ALL_PROJECTS, Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
        ExportTraceServiceRequest,
    )

    from spanloom.collector.intake.limits import Limits
    from spanloom.collector.spool.spool import Spool
    from spanloom.metrics import Metrics

OTLP_PATHS = [
    "/v1/traces",
    "/v1/logs",
    "/v1/metrics",
    "/v1/loop/opentelemetry/v1/traces",
    "/api/public/otel/v1/traces",
]
APPEND = f"/api/v1/trace/{'5e' * 16}/messages"
DATASET = "/api/v1/dataset/metadata/set"
OTHER_PATHS = [
    *("/v1/loop/traces/ingest", "/v1/loop/files/upload", "/api/public/ingestion"),
    "/api/public/scores",
    *("/api/v1/push/trace", APPEND, DATASET),
]
PATTERNS = {
    APPEND: "/api/v1/trace/{trace_id}/messages",
    DATASET: "/api/v1/dataset/metadata/{name}",
}
METHODS = [
    f"/opentelemetry.proto.collector.{signal}.v1.{signal.capitalize()}Service/Export"
    for signal in ("trace", "logs", "metrics")
]
OPEN_METHODS = {f"/grpc.health.v1.Health/{method}" for method in ("Check", "Watch")}
"""Written a second time on purpose: a new path or method has to be considered here too."""
BODIES = {
    "/v1/loop/traces/ingest": b'{"spans":[]}',
    "/api/public/ingestion": b'{"batch":[]}',
    "/api/v1/push/trace": b'{"messages":[[]]}',
    "/api/public/scores": b"[]",
    APPEND: b'{"messages":[{"role":"user"}]}',
    DATASET: b'{"metadata":{}}',
}
STORED = {"/api/v1/push/trace", APPEND}
"""The paths and methods whose test body stores a span."""


@dataclass
class Doors:
    """Both receivers with the same keys; only gRPC runs a real server."""

    http: HttpReceiver
    grpc: GrpcReceiver
    locks: Locks
    spool: Spool

    def post(
        self, path: str, headers: Mapping[str, str], body: bytes | None = None, query: str = ""
    ) -> httpx.Response:
        content = BODIES.get(path, b"{}") if body is None else body

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self.http)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://localhost"
            ) as client:
                named = {"content-type": "application/json", **headers}
                method = "PUT" if path == DATASET else "POST"
                return await client.request(method, path + query, content=content, headers=named)

        return asyncio.run(ask())

    def call(self, method: str, metadata: Mapping[str, str], body: bytes = b"") -> str:
        """Call a gRPC method; return its status name, and assert that a refusal is permanent."""
        with grpc.insecure_channel(f"127.0.0.1:{self.grpc.port}") as channel:
            ask: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
                method, None, None
            )
            call = ask.future(body, timeout=10, metadata=tuple(metadata.items()))
            error = call.exception()
            if error is None:
                return "OK"
            details = dict(call.trailing_metadata() or ())["grpc-status-details-bin"]
            assert isinstance(details, bytes)
            assert not Status.FromString(details).details  # no RetryInfo, so it is not retried
            return str(call.code().name)


@pytest.fixture
def doors(spool: Spool, metrics: Metrics, limits: Limits, tmp_path: Path) -> Iterator[Doors]:
    locks = Locks()
    locks.make("other")
    exporter = Exporter(spool, metrics, limits)
    observations = Observations(tmp_path / "observations.sqlite", metrics)
    langfuse = LangfuseIngestion(exporter, observations, limits)
    http = create_app(exporter, limits, locks.access.authenticator, langfuse)
    assert isinstance(http, HttpReceiver)
    receiver = GrpcReceiver(exporter, "127.0.0.1", 0, limits, locks.access.authenticator)
    receiver.start()
    yield Doors(http, receiver, locks, spool)
    receiver.stop(0)
    observations.close()


def bad_keys(locks: Locks) -> list[str]:
    """Return keys without any access: wrong, unknown, altered, revoked, expired."""
    revoked, good = locks.make(ALL_PROJECTS), locks.make(ALL_PROJECTS)
    locks.revoke(revoked)
    expired = locks.make_expired(ALL_PROJECTS)
    return ["wrong", make_key().text, good[:-3] + "AAA", revoked, expired]


def test_the_tables_have_every_door(doors: Doors) -> None:
    wanted = [PATTERNS.get(path, path) for path in OTLP_PATHS + OTHER_PATHS]
    assert sorted(doors.http._doors) == sorted(wanted)
    served = {
        name
        for handler in vars(doors.grpc._server)["_state"].generic_handlers
        for name in handler._method_handlers
    }
    assert served == set(METHODS) | OPEN_METHODS


@pytest.mark.parametrize("path", OTLP_PATHS + OTHER_PATHS)
def test_every_path_refuses_every_bad_key(doors: Doors, path: str) -> None:
    good = doors.locks.make("p", Scope.INGEST)
    for key in ["", *bad_keys(doors.locks)]:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        answer = doors.post(path, headers)
        assert answer.status_code == 401, key
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert "retry-after" not in answer.headers
        assert not key or key not in answer.text
    in_url = doors.post(path, {"authorization": f"Bearer {good}"}, query=f"?api_key={good}")
    assert in_url.status_code == 401
    assert good not in in_url.text
    others = doors.locks.make("p", *(set(Scope) - {Scope.INGEST}))
    refused = doors.post(path, {"authorization": f"Bearer {others}"})
    assert refused.status_code == 403
    assert "retry-after" not in refused.headers
    assert doors.spool.depth().records == 0
    assert doors.post(path, {"authorization": f"Bearer {good}"}).status_code in {200, 202, 207}
    assert doors.spool.depth().records == (path in STORED)


def test_each_door_refuses_in_its_own_form(doors: Doors) -> None:
    as_protobuf = doors.post("/v1/traces", {"content-type": "application/x-protobuf"})
    assert Status.FromString(as_protobuf.content).code == Code.UNAUTHENTICATED
    assert orjson.loads(doors.post("/v1/traces", {}).content)["code"] == Code.UNAUTHENTICATED
    assert doors.post("/v1/loop/traces/ingest", {}).json()["code"] == 401
    assert doors.post("/api/public/ingestion", {}).json()["message"]
    assert doors.post("/api/v1/push/trace", {}).json()["detail"]


@pytest.mark.parametrize("path", ["/", "/nowhere", "/v1/traces/"])
def test_what_is_no_door_is_closed_too(doors: Doors, path: str) -> None:
    assert doors.post(path, {}).status_code == 401
    assert doors.post(path, {"x-api-key": doors.locks.make("p")}).status_code == 404


@pytest.mark.parametrize("method", METHODS)
def test_every_method_refuses_every_bad_key(doors: Doors, method: str) -> None:
    for key in ["", *bad_keys(doors.locks)]:
        metadata = {"authorization": f"Bearer {key}"} if key else {}
        assert doors.call(method, metadata) == "UNAUTHENTICATED"
    others = doors.locks.make("p", *(set(Scope) - {Scope.INGEST}))
    assert doors.call(method, {"x-api-key": others}) == "PERMISSION_DENIED"
    good = doors.locks.make("p", Scope.INGEST)
    for metadata in ({"x-api-key": good}, {"authorization": f"Bearer {good}"}):
        assert doors.call(method, metadata) == "OK"


@pytest.mark.parametrize("path", [*OTLP_PATHS, *OTHER_PATHS, "/nowhere"])
def test_every_answer_has_the_security_headers(doors: Doors, path: str) -> None:
    for headers in ({}, {"x-api-key": doors.locks.make("p")}):
        answer = doors.post(path, {"origin": "https://evil.example", **headers})
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_body_is_neither_read_nor_inflated_without_a_key(doors: Doors) -> None:
    broken = {"content-encoding": "gzip", "content-type": "application/x-protobuf"}
    assert doors.post("/v1/traces", broken, b"not gzip").status_code == 401
    assert doors.call(METHODS[0], {}, b"\xff" * 20) == "UNAUTHENTICATED"


def test_the_key_names_the_project_of_all_that_is_sent(
    doors: Doors, make_request: Callable[..., ExportTraceServiceRequest]
) -> None:
    request = make_request()
    attributes = request.resource_spans[0].resource.attributes
    attributes.add(key="spanloom.project").value.string_value = "theirs"
    body = request.SerializeToString()
    mine, trusted = doors.locks.make("mine"), doors.locks.make(ALL_PROJECTS)
    basic = base64.b64encode(f"pk-lf-anything:{mine}".encode()).decode()
    as_protobuf = {"content-type": "application/x-protobuf"}
    sent = [
        doors.post("/v1/traces", {"x-api-key": mine, **as_protobuf}, body).status_code,
        doors.post(
            "/api/public/otel/v1/traces", {"authorization": f"Basic {basic}", **as_protobuf}, body
        ).status_code,
        doors.post("/v1/traces", {"x-api-key": trusted, **as_protobuf}, body).status_code,
    ]
    assert sent == [200, 200, 200]
    assert doors.call(METHODS[0], {"x-api-key": mine}, body) == "OK"
    stored = [record.project for record in doors.spool.read_batch(1 << 30)]
    assert stored == ["mine", "mine", "", "mine"]


def test_langfuses_events_of_two_projects_stay_apart(doors: Doors) -> None:
    """Both projects send the same observation id, each with a key of its own."""
    for project in ("one", "two"):
        key = doors.locks.make(project)
        event = {
            "id": f"event-{project}",
            "type": "span-create",
            "timestamp": "2026-01-31T12:00:00Z",
            "body": {
                "id": "o",
                "traceId": "t",
                "name": project,
                "startTime": "2026-01-31T12:00:00Z",
            },
        }
        body = orjson.dumps({"batch": [event]})
        answer = doors.post("/api/public/ingestion", {"x-api-key": key}, body)
        assert answer.json()["errors"] == []
    records = doors.spool.read_batch(1 << 30)
    assert [record.project for record in records] == ["one", "two"]
    assert b"one" not in records[1].body
