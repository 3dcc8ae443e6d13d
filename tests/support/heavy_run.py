"""A run with heavy steps: pictures and sound as text, large JSON objects, long texts."""

from __future__ import annotations

import base64
import json
import random
import secrets
import time
from typing import TYPE_CHECKING

from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import MS, send, wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.conftest import RunningSpanloom

FIELDS = 60_000
"""Fields of one tool's argument; another tool gets a hundred objects of a hundred fields."""
TEXT = "All work and no play. " * 100_000
HEAD = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
PICTURE = base64.b64encode(HEAD + random.Random(1).randbytes(1_000_000)).decode()
"""Base64 of a megabyte that begins like a picture."""


def send_heavy_run(service: RunningSpanloom) -> str:
    """Send the run and wait until it is settled: rows 2 to 6 are its steps, in this order.

    A model call with a picture and sound in its messages; a tool that returns the same picture as
    plain base64 and as an address; the two objects; a text of 2 MB.
    """
    trace, now = secrets.token_hex(16), time.time_ns() - 1_000 * MS
    spans = [wire_span(trace, 1, 0, "agent", now, _of("invoke_agent", "agent", name="eye"))]
    for at, attributes in enumerate(_steps(), start=2):
        name = str(attributes.get("gen_ai.tool.name", "chat"))
        spans.append(wire_span(trace, at, 1, name, now + at * MS, attributes))
    send(service, message_of(spans, {"service.name": "heavy"}))
    wait_for(service.api, trace)
    return trace


def _steps() -> Sequence[Mapping[str, object]]:
    wide = {f"field {at}": at for at in range(FIELDS)}
    square = {f"row {y}": {f"cell {x}": f"{x}, {y}" for x in range(100)} for y in range(100)}
    shot = {"data": PICTURE, "mimeType": "image/png", "link": f"data:image/png;base64,{PICTURE}"}
    media = [
        {"type": "blob", "modality": "image", "mime_type": "image/png", "content": PICTURE},
        {"type": "blob", "modality": "audio", "mime_type": "audio/wav", "content": PICTURE},
    ]
    messages = json.dumps([{"role": "user", "parts": media}])
    return [
        {**_of("chat", "request", model="gpt-4o"), "gen_ai.input.messages": messages},
        _tool("screenshot", "{}", json.dumps(shot)),
        _tool("wide", json.dumps(wide), "ok"),
        _tool("square", json.dumps(square), "ok"),
        _tool("long", "{}", TEXT),
    ]


def _of(operation: str, part: str, **more: str) -> dict[str, object]:
    named = {f"gen_ai.{part}.{key}": value for key, value in more.items()}
    return {"gen_ai.operation.name": operation, **named}


def _tool(name: str, arguments: str, result: str) -> dict[str, object]:
    attributes = {"gen_ai.tool.call.arguments": arguments, "gen_ai.tool.call.result": result}
    return {**_of("execute_tool", "tool", name=name), **attributes}
