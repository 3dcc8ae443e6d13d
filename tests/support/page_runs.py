"""Runs for the page tests: a team of agents, one that fails, one with hostile texts."""

from __future__ import annotations

import json
import secrets
import time
from typing import TYPE_CHECKING, NamedTuple

import httpx
from opentelemetry.proto.trace.v1.trace_pb2 import Status
from tests.support.hostile_texts import HOSTILE, hostile_text
from tests.support.otlp_requests import message_of, wire_span

from spanloom.demo.recording import load_recording, refresh

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from tests.conftest import RunningSpanloom, StartSpanloom

SETTLED_S = 60.0
LOOK_S = 0.2
"""Seconds between two polls: each takes the service 10 ms, which delays other requests."""
MS = 1_000_000
MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"
TURNED = "safe\u202egnp.exe\u200b"
ADDRESS = "https://elsewhere.example/track.png"
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAh"
    "KmMIQAAAABJRU5ErkJggg=="
)
SVG = "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+"


TALK = "oslo & <b>bergen</b>"
"""The conversation of the run that fails."""


class PageRuns(NamedTuple):
    """Trace ids of the runs sent."""

    team: str
    """The recorded run: several agents."""
    failing: str
    """A tool fails three times below an agent."""
    hostile: str
    """Markup, hidden characters, addresses and huge texts in all text fields."""


def start_quick(start: StartSpanloom) -> RunningSpanloom:
    """Start a service in which runs settle at once, and wait until it is ready."""
    service = start(env={"SPANLOOM_ROOT_QUIET_S": "0.3"})
    service.wait_until_ready()
    return service


def send_page_runs(service: RunningSpanloom) -> PageRuns:
    """Send the runs and wait until all are settled."""
    run = refresh(load_recording(), time.time_ns(), secrets.token_bytes)
    failing, hostile = secrets.token_hex(16), secrets.token_hex(16)
    for request in (*run.requests, _failing(failing), _hostile(hostile)):
        send(service, request)
    runs = PageRuns(run.trace_id, failing, hostile)
    for trace in runs:
        wait_for(service.api, trace)
    return runs


def send_many(service: RunningSpanloom, count: int) -> None:
    """Send that many runs at once and wait until they are settled."""
    traces = [secrets.token_hex(16) for _ in range(count)]
    request = _failing(traces[0])
    for trace in traces[1:]:
        request.MergeFrom(_failing(trace))
    send(service, request)
    wait_for_all(service.api, traces)


def send_two_versions(service: RunningSpanloom) -> str:
    """Send a run, have its version stored by an annotation, then send a late step."""
    trace = secrets.token_hex(16)
    send(service, _failing(trace))
    wait_for(service.api, trace)
    kept = httpx.put(f"{service.api}/v1/trajectories/{trace}/versions/1")
    kept.raise_for_status()
    late = wire_span(
        trace, 20, 1, "notes", time.time_ns() - MS, tool_attributes("notes", "{}", "late")
    )
    late.end_time_unix_nano = time.time_ns()
    send(service, message_of([late], {"service.name": "page"}))
    until = time.monotonic() + SETTLED_S
    while httpx.get(f"{service.api}/v1/trajectories/{trace}/rows").json()["rows"] < 7:
        assert time.monotonic() < until, "the late span made no version"
        time.sleep(LOOK_S)
    return trace


def send_failed_silently(service: RunningSpanloom) -> tuple[str, str]:
    """Send a run whose tool succeeds, and one whose tool fails without a message."""
    traces = secrets.token_hex(16), secrets.token_hex(16)
    for trace, code in zip(
        traces, (Status.STATUS_CODE_UNSET, Status.STATUS_CODE_ERROR), strict=True
    ):
        tool = tool_attributes("weather", "{}", "" if code else "dry")
        request = _request(trace, [(0, agent_attributes("forecaster"), False), (1, tool, False)])
        request.resource_spans[0].scope_spans[0].spans[1].status.code = code
        send(service, request)
    wait_for_all(service.api, traces)
    return traces


def send(service: RunningSpanloom, request: ExportTraceServiceRequest) -> None:
    """Send one request over HTTP."""
    url = f"{service.addresses['otlp_http']}/v1/traces"
    headers = {"content-type": "application/x-protobuf"}
    httpx.post(url, content=request.SerializeToString(), headers=headers).raise_for_status()


def wait_for(api: str, trace: str, version: int = 1) -> None:
    """Wait until a run is settled, in this version or a later one."""
    until = time.monotonic() + SETTLED_S
    while time.monotonic() < until:
        found = httpx.get(f"{api}/v1/trajectories/{trace}")
        extraction = found.json()["extraction"] if found.status_code == 200 else {"version": 0}
        if extraction["version"] >= version and extraction["status"] == "settled":
            return
        time.sleep(LOOK_S)
    raise AssertionError(f"{trace} was not settled within {SETTLED_S:g} s")


def wait_for_all(api: str, traces: Sequence[str]) -> None:
    """Wait until all of these runs are settled."""
    among = ", ".join(f'"{trace}"' for trace in traces)
    wait_for_count(api, len(traces), f"trace_id in ({among}) and status = settled")


def wait_for_count(api: str, count: int, where: str) -> None:
    """Wait until that many runs match."""
    until = time.monotonic() + SETTLED_S
    while time.monotonic() < until:
        asked = {"where": where, "metrics": "count", "has_steps": "any"}
        groups = httpx.get(f"{api}/v1/stats", params=asked).raise_for_status().json()["items"]
        if groups and groups[0]["count"] == count:
            return
        time.sleep(LOOK_S)
    raise AssertionError(f"{where} did not find {count} runs within {SETTLED_S:g} s")


def agent_attributes(name: str) -> dict[str, object]:
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}


def tool_attributes(name: str, arguments: str, result: str) -> dict[str, object]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": arguments,
        "gen_ai.tool.call.result": result,
    }


def _chat(model: str, messages: object, answer: str) -> dict[str, object]:
    output = [{"role": "assistant", "parts": [{"type": "text", "content": answer}]}]
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": model,
        "gen_ai.input.messages": json.dumps(messages),
        "gen_ai.output.messages": json.dumps(output),
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.usage.output_tokens": 30,
    }


def _request(
    trace: str, spans: Sequence[tuple[int, dict[str, object], bool]]
) -> ExportTraceServiceRequest:
    """Return a request of consecutive spans, given as (parent number, attributes, has failed)."""
    now = time.time_ns() - len(spans) * 20 * MS
    made = []
    for at, (parent, attributes, failed) in enumerate(spans):
        name = str(attributes.get("gen_ai.tool.name") or attributes["gen_ai.operation.name"])
        span = wire_span(trace, at + 1, parent, name, now + at * 20 * MS, attributes)
        span.end_time_unix_nano = now + (len(spans) if at == 0 else at + 1) * 20 * MS
        if failed:
            span.status.CopyFrom(Status(code=Status.STATUS_CODE_ERROR, message="429 slow down"))
        made.append(span)
    return message_of(made, {"service.name": "page"})


def _failing(trace: str) -> ExportTraceServiceRequest:
    question = [{"role": "user", "parts": [{"type": "text", "content": "Is Oslo dry?"}]}]
    tries = [
        (2, tool_attributes("weather", f'{{"city":"Oslo","try":{n}}}', ""), True) for n in range(3)
    ]
    return _request(
        trace,
        [
            (0, {**agent_attributes("forecaster"), "gen_ai.conversation.id": TALK}, False),
            (1, agent_attributes("weatherman"), False),
            *tries,
            (1, _chat("gpt-4o", question, "I cannot tell."), False),
        ],
    )


def _hostile(trace: str) -> ExportTraceServiceRequest:
    parts = [
        {"type": "text", "content": f"{MARKUP} {TURNED} [x](javascript:alert(3))"},
        *({"type": "uri", "modality": "image", "uri": url} for url in (PIXEL, SVG, ADDRESS)),
    ]
    messages = [{"role": "user", "parts": parts}, {"role": MARKUP, "parts": parts[:1]}]
    # Lengths differ, because values of one length would seem truncated by a limit.
    sizes = {name: 4_001 + number for number, name in enumerate(HOSTILE)}
    tools = [
        (1, tool_attributes(n, hostile_text(n, size), MARKUP), False) for n, size in sizes.items()
    ]
    return _request(
        trace,
        [
            (0, agent_attributes(MARKUP + TURNED), False),
            (1, _chat(MARKUP, messages, MARKUP), False),
            *tools,
        ],
    )
