"""No alert is lost if its receiver is away and the service is killed meanwhile."""

from __future__ import annotations

import hmac
import secrets
import signal
import time
from typing import TYPE_CHECKING, Any

import httpx
from tests.support.otlp_requests import message_of, wire_span
from tests.support.webhooks import receiving

if TYPE_CHECKING:
    from pathlib import Path

    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan
    from tests.conftest import RunningSpanloom, StartSpanloom

LINE = 'has(tool = "refund") and not has(tool = "verify" then tool = "refund")'
QUICK = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.2", "--alert-private")
MS = 1_000_000
WITHIN_S = 60.0


def span(trace: str, number: int, begun_ns: int, tool: str = "") -> WireSpan:
    """Return the span of a tool call, or the root span if ``tool`` is empty."""
    operation, of = ("execute_tool", "tool") if tool else ("invoke_agent", "agent")
    attributes = {"gen_ai.operation.name": operation, f"gen_ai.{of}.name": tool or "planner"}
    made = wire_span(trace, number, 1 if tool else 0, "step", begun_ns + number * MS, attributes)
    made.end_time_unix_nano = made.start_time_unix_nano + (MS // 2 if tool else 100 * MS)
    return made


def send(service: RunningSpanloom, *spans: WireSpan) -> None:
    body, headers = (
        message_of(spans).SerializeToString(),
        {"content-type": "application/x-protobuf"},
    )
    url = f"{service.addresses['otlp_http']}/v1/traces"
    assert httpx.post(url, content=body, headers=headers).status_code == 200


def refund(service: RunningSpanloom) -> tuple[str, int]:
    """Send a run that refunds without verifying; return its trace id and start time in ns."""
    trace, begun_ns = secrets.token_hex(16), time.time_ns() - 10**9
    send(service, span(trace, 5, begun_ns, "refund"), span(trace, 1, begun_ns))
    return trace, begun_ns


def events(service: RunningSpanloom) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = httpx.get(f"{service.api}/v1/alerts/refunds/events").json()[
        "items"
    ]
    return found


def wait_for_events(service: RunningSpanloom, count: int, *, tried: bool = False) -> None:
    until = time.monotonic() + WITHIN_S
    while True:
        found = events(service)
        if len(found) == count and (not tried or any(e["deliveries"][0]["tries"] for e in found)):
            return
        assert time.monotonic() < until, found
        time.sleep(0.1)


def wait_until_recorded(service: RunningSpanloom) -> None:
    """Wait until all deliveries are recorded, because others are repeated after a kill."""
    until = time.monotonic() + WITHIN_S
    while any(e["deliveries"][0]["state"] != "delivered" for e in events(service)):
        assert time.monotonic() < until, events(service)
        time.sleep(0.05)


def test_what_nobody_received_is_told_after_a_kill(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    (secret := tmp_path / "secret").write_text("hush\n")
    service = start_spanloom(*QUICK)
    with receiving() as hooks:
        channel = {"kind": "webhook", "url": f"{hooks.url}/a", "secret_file": str(secret)}
        wanted = {"where": LINE, "channels": [channel]}
        assert httpx.put(f"{service.api}/v1/alerts/refunds", json=wanted).status_code == 200
        first, begun_ns = refund(service)
        hooks.wait_for(1)
        send(service, span(first, 3, begun_ns, "verify"))
        seen = list(hooks.wait_for(2))
        port = int(hooks.url.rpartition(":")[2])
    second, begun_ns = refund(service)
    refund(service)
    wait_for_events(service, 4, tried=True)
    send(service, span(second, 3, begun_ns, "verify"))
    service.stop(signal.SIGKILL)
    service = start_spanloom(*QUICK)
    wait_for_events(service, 5)
    with receiving(port) as hooks:
        seen += hooks.wait_for(3)
        stored = {(e["id"], e["state"]) for e in events(service)}
        told = [(one.json["id"], one.json["state"]) for one in seen]
        assert sorted(told) == sorted(stored), "each is told once"
        for one in seen:
            signed = hmac.new(b"hush", one.body, "sha256").hexdigest()
            assert one.headers["spanloom-signature"] == signed
        states = [(one.json["trace_id"], one.json["state"]) for one in seen]
        assert states.index((second, "firing")) < states.index((second, "withdrawn"))
        wait_until_recorded(service)
        service.stop(signal.SIGKILL)
        service = start_spanloom(*QUICK)
        late, _ = refund(service)
        newest = hooks.wait_for(4)[-1]
        assert newest.json["trace_id"] == late
