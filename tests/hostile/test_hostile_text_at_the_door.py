"""Hostile texts sent to the real service: other spans are still built, and memory is bounded."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
from tests.support.agents import await_trajectory
from tests.support.hostile_texts import hostile_text
from tests.support.otlp_requests import message_of, wire_span

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom

SIZE = 2**20
MAX_BYTES_PER_BYTE = 60
SLACK = 128 * 2**20
"""Memory of the engine, which holds each span several times while it writes and reads it."""
PROTOBUF = {"Content-Type": "application/x-protobuf"}
NAMES = (
    *("list of lists", "objects of Python", "calls of Python", "brackets", "list of messages"),
    "wide control characters",
)


def send(service: RunningSpanloom, text: str) -> str:
    """Send a LiteLLM span with this answer in Python's notation; return its trace id."""
    trace_id = secrets.token_hex(16)
    attributes = {"llm.openai.choices": text, "llm.openai.model": "gpt"}
    message = message_of([wire_span(trace_id, 1, name="raw_gen_ai_request", attributes=attributes)])
    message.resource_spans[0].scope_spans[0].scope.name = "litellm"
    url = f"{service.addresses['otlp_http']}/v1/traces"
    httpx.post(url, content=message.SerializeToString(), headers=PROTOBUF).raise_for_status()
    return trace_id


def peak_bytes(service: RunningSpanloom) -> int:
    """Return the highest memory usage of the process so far."""
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def test_memory_follows_the_bytes_and_neighbours_are_built(start_spanloom: StartSpanloom) -> None:
    service = start_spanloom()
    service.wait_until_ready()
    for _ in range(3):  # the memory for harmless texts of the same size
        await_trajectory(service.api, send(service, "word " * (SIZE // 5)), 1)
    usual = peak_bytes(service)
    hostile: dict[str, str] = {}
    for name in NAMES:  # one by one, as a batch of several needs as much memory for each
        for sent in hostile.values():
            await_trajectory(service.api, sent, 1)
        hostile[name] = send(service, hostile_text(name, SIZE))
    neighbour = send(service, "[{'message': {'role': 'assistant', 'content': 'Hello'}}]")
    document = await_trajectory(service.api, neighbour, 1)
    assert "Hello" in str(document)
    for trace_id in hostile.values():
        await_trajectory(service.api, trace_id, 1)
    warned = await_trajectory(service.api, hostile["list of lists"], 1)
    assert "shown as they came" in str(warned["extraction"]["warnings"])
    warned = await_trajectory(service.api, hostile["wide control characters"], 1)
    assert "largely control characters" in str(warned["extraction"]["warnings"])
    assert peak_bytes(service) - usual <= MAX_BYTES_PER_BYTE * SIZE + SLACK
