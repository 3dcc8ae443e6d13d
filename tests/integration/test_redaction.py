"""Redacted secrets are in no file of a started service, whichever API received them."""

from __future__ import annotations

import json
import signal
import time
from typing import TYPE_CHECKING, Any

import grpc
import httpx
import pytest
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from tests.support.otlp_requests import message_of, wire_span

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from tests.conftest import RunningSpanloom, StartSpanloom

WAIT_S = 60.0
QUICK = {"SPANLOOM_NO_ROOT_QUIET_S": "2", "SPANLOOM_ROOT_QUIET_S": "0.3"}
WAITING = {"SPANLOOM_BATCH_WAIT_S": "600"}
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
PASSWORD = "Qx7vTn93LpWz-hunter"  # noqa: S105  # what the rules must find
TOKEN = "ghp_Zk3Vq8Rt5Yw1Xn6Mb4Lc9Jd2Hf7Gs0Pa8Ue1"  # noqa: S105  # likewise
EMAIL = "zoe.quuxley@secret-example.org"
SECRETS = (PASSWORD, TOKEN, EMAIL)
RULES = """
[[rules]]
name = "passwords"
keys = ["*password*"]
action = "drop"

[[rules]]
name = "tokens"
recognisers = ["secret"]
action = "mask"

[[rules]]
name = "customers"
recognisers = ["email"]
action = "hash"
"""
NESTED = json.dumps({"auth": {"password": PASSWORD}, "mail": EMAIL, "note": f"use {TOKEN} now"})
TEXT = f"call {TOKEN} for {EMAIL}"


def otlp(trace: str) -> ExportTraceServiceRequest:
    """Return a request with the secrets wherever a span can hold a text."""
    span = wire_span(trace, 1, name=f"ask {EMAIL}")
    span.attributes.add(key="user.password").value.string_value = PASSWORD
    span.attributes.add(key="input.value").value.string_value = NESTED
    span.attributes.add(key="kept").value.string_value = "harmless"
    span.attributes.add(key="mail").value.string_value = EMAIL
    span.attributes.add(key=f"of {EMAIL}").value.bool_value = True
    span.attributes.add(key="raw").value.bytes_value = TEXT.encode()
    listed = span.attributes.add(key="list").value.array_value.values
    listed.extend([AnyValue(string_value=TEXT), AnyValue(string_value=NESTED)])
    pair = span.attributes.add(key="map").value.kvlist_value.values.add(key="Password")
    pair.value.string_value = PASSWORD
    span.status.CopyFrom(Status(code=Status.STATUS_CODE_ERROR, message=TEXT))
    event = span.events.add(name=f"sent to {EMAIL}")
    event.attributes.add(key="exception.message").value.string_value = TEXT
    link = span.links.add(trace_id=b"1" * 16, span_id=b"2" * 8)
    link.attributes.add(key="link.password").value.string_value = PASSWORD
    span.trace_state = f"who={EMAIL}"
    request = message_of([span], {"host.password": PASSWORD, "owner": EMAIL})
    request.resource_spans[0].scope_spans[0].scope.name = TEXT
    request.resource_spans[0].schema_url = f"https://{EMAIL}"
    hidden = request.resource_spans[0].scope_spans[0].spans.add()
    hidden.CopyFrom(wire_span(trace, 2, 1))
    hidden.attributes.add(key="k").value.string_value = PASSWORD  # the repeated key counts
    hidden.attributes.add(key="k").value.string_value = "harmless"
    hidden.MergeFromString(b"\xa2\x3e" + bytes([len(PASSWORD)]) + PASSWORD.encode())  # field 996
    return request


def logs(trace: str) -> bytes:
    request = ExportLogsServiceRequest()
    record = request.resource_logs.add().scope_logs.add().log_records.add()
    record.event_name, record.time_unix_nano = "gen_ai.user.message", 1_763_600_000_000_000_000
    record.trace_id, record.span_id = bytes.fromhex(trace), (1).to_bytes(8, "big")
    record.body.kvlist_value.values.add(key="content").value.string_value = TEXT
    record.attributes.add(key="password").value.string_value = PASSWORD
    return request.SerializeToString()


def langfuse(trace: str) -> dict[str, Any]:
    at = "2026-01-01T00:00:00Z"
    said: dict[str, Any] = {
        "input": NESTED,
        "output": {"password": PASSWORD},
        "metadata": {"password": PASSWORD},
    }
    body = {"id": "obs-1", "traceId": trace, "name": f"ask {EMAIL}", "statusMessage": TEXT, **said}
    error = {"id": "obs-2", "traceId": trace, "level": "ERROR", "output": TEXT}
    events = [
        ("span-create", body),
        ("span-create", error),
        ("trace-create", {"id": trace, **said}),
    ]
    return {
        "batch": [
            {"id": f"e{n}", "type": kind, "timestamp": at, "body": {"startTime": at, **b}}
            for n, (kind, b) in enumerate(events)
        ]
    }


def cozeloop(trace: str) -> dict[str, Any]:
    span = {
        "trace_id": trace,
        "span_id": "00000000000000aa",
        "parent_id": "0",
        "span_name": f"ask {EMAIL}",
        "started_at_micros": 1_763_600_000_000_000,
        "duration_micros": 1000,
        "status_code": 1,
        "input": NESTED,
        "tags_string": {"error": TEXT, "password": PASSWORD},
    }
    return {"spans": [span]}


def send_all(spanloom: RunningSpanloom) -> list[str]:
    """Send one trace to each ingestion API; return the trace ids."""
    traces = [f"{n:02x}" * 16 for n in range(1, 6)]
    with httpx.Client(base_url=spanloom.addresses["otlp_http"]) as client:
        kind = {"Content-Type": "application/x-protobuf"}
        answers = [
            client.post("/v1/traces", content=otlp(traces[0]).SerializeToString(), headers=kind),
            client.post("/v1/logs", content=logs(traces[0]), headers=kind),
            client.post("/v1/traces", json=_as_json(otlp(traces[1]))),
            client.post("/v1/loop/traces/ingest", json=cozeloop(traces[2])),
            client.post("/api/public/ingestion", json=langfuse(traces[3])),
        ]
    assert all(answer.is_success for answer in answers), [a.text for a in answers]
    address = spanloom.addresses["otlp_grpc"].removeprefix("http://")
    with grpc.insecure_channel(address) as channel:
        export = channel.unary_unary(EXPORT, request_serializer=None, response_deserializer=None)
        export(otlp(traces[4]).SerializeToString(), timeout=20)
    return traces


def _as_json(request: ExportTraceServiceRequest) -> dict[str, Any]:
    """Return a request as OTLP/JSON, with ids in hex."""
    said: dict[str, Any] = MessageToDict(request)
    for group in said["resourceSpans"]:
        for scope in group["scopeSpans"]:
            wires = request.resource_spans[0].scope_spans[0].spans
            for span, wire in zip(scope["spans"], wires, strict=True):
                span["traceId"], span["spanId"] = wire.trace_id.hex(), wire.span_id.hex()
                if wire.parent_span_id:
                    span["parentSpanId"] = wire.parent_span_id.hex()
                for link in span.get("links", ()):
                    link["traceId"], link["spanId"] = "31" * 16, "32" * 8
    return said


def documents(spanloom: RunningSpanloom, traces: list[str]) -> list[dict[str, Any]]:
    """Wait for the trajectories of all traces; return their documents."""
    until = time.monotonic() + WAIT_S
    found: dict[str, dict[str, Any]] = {}
    while len(found) < len(traces):
        for trace in traces:
            answer = httpx.get(f"{spanloom.api}/v1/trajectories/{trace}")
            if answer.status_code == 200:
                found[trace] = answer.json()
        assert time.monotonic() < until, (set(traces) - set(found), spanloom.log)
        time.sleep(0.1)
    return [found[trace] for trace in traces]


def files_with(folder: Path, text: str) -> list[str]:
    """Return files below a folder with a text; compression keeps its first occurrence readable."""
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and text.encode() in path.read_bytes()
    ]


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.toml"
    path.write_text(RULES)
    (tmp_path / "secret").write_text("0123456789abcdef0123456789abcdef")
    return path


def redacting(rules: Path) -> tuple[str, ...]:
    secret = f"--redaction-secret-file={rules.parent / 'secret'}"
    return "serve", f"--redaction-rules={rules}", secret, "--log-level=debug"


def test_without_rules_the_secrets_are_found(start_spanloom: StartSpanloom, tmp_path: Path) -> None:
    """As a control, the search finds the secrets where nothing is redacted."""
    spanloom = start_spanloom(env=QUICK)
    spanloom.wait_until_ready()
    documents(spanloom, send_all(spanloom))
    assert spanloom.stop() == 0
    assert all(files_with(tmp_path / "data", secret) for secret in SECRETS)


def test_no_secret_is_in_any_file(
    start_spanloom: StartSpanloom, tmp_path: Path, rules: Path
) -> None:
    spanloom = start_spanloom(*redacting(rules), env=QUICK)
    spanloom.wait_until_ready()
    found = documents(spanloom, send_all(spanloom))
    metrics = httpx.get(f"{spanloom.api}/metrics").text
    assert spanloom.stop() == 0
    for secret in SECRETS:
        assert files_with(tmp_path / "data", secret) == []
        assert secret not in spanloom.log
        assert all(secret not in json.dumps(document) for document in found)
    assert [d["extraction"]["span_count"] for d in found] == [2, 2, 1, 2, 2]
    for document in found:
        warnings = [w for w in document["extraction"]["warnings"] if "redacted" in w]
        assert len(warnings) == 1
        assert all(name in warnings[0] for name in ("passwords", "tokens", "customers"))
    for rule, action in (("passwords", "drop"), ("tokens", "mask"), ("customers", "hash")):
        assert f'spanloom_redacted_total{{action="{action}",rule="{rule}"}}' in metrics
    hashes = {h for d in found for h in _hashes(json.dumps(d))}
    assert len(hashes) == 1  # equal values stay equal, in every trace


def _hashes(text: str) -> Iterator[str]:
    for part in text.split("[hash:customers:")[1:]:
        yield part[:16]


def test_the_spool_holds_no_secret(
    start_spanloom: StartSpanloom, tmp_path: Path, rules: Path
) -> None:
    """Waiting requests are redacted too; the process is killed before they reach the store."""
    spanloom = start_spanloom(*redacting(rules), env=WAITING)
    spanloom.wait_until_ready()
    send_all(spanloom)
    spanloom.stop(signal.SIGKILL)
    assert all(files_with(tmp_path / "data", secret) == [] for secret in SECRETS)
    assert files_with(tmp_path / "data", "harmless")


def test_each_mistake_is_a_line_and_stops_the_start(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    path = tmp_path / "rules.toml"
    path.write_text('rules = [{name="a", action="burn", keys=["x"]}, {name="B", action="drop"}]')
    with pytest.raises(AssertionError, match="printed no addresses") as refused:
        start_spanloom("serve", f"--redaction-rules={path}")
    shown = str(refused.value)
    assert "rules[0].action" in shown
    assert "rules[1].name" in shown
    assert "Traceback" not in shown


def test_without_rules_a_span_keeps_its_bytes(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    spanloom = start_spanloom(env=WAITING)
    spanloom.wait_until_ready()
    span = Span(trace_id=b"1" * 16, span_id=b"2" * 8, name=TEXT)
    body = message_of([span]).SerializeToString()
    url = spanloom.addresses["otlp_http"] + "/v1/traces"
    httpx.post(url, content=body, headers={"Content-Type": "application/x-protobuf"})
    spanloom.stop(signal.SIGKILL)
    assert files_with(tmp_path / "data", span.SerializeToString().decode())
