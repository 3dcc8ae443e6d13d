"""Runs to annotate on the page, and the page with an annotator name set."""

from __future__ import annotations

import json
import secrets
import time
from typing import TYPE_CHECKING, Any

import httpx
from playwright.sync_api import expect
from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import send, wait_for, wait_for_all
from tests.support.reused_page import remember

from spanloom.core.model.annotation import ANNOTATOR_HEADER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span
    from playwright.sync_api import Locator, Page, Route
    from tests.conftest import RunningSpanloom

MS = 1_000_000
START_NS = (time.time_ns() // MS - 600_000) * MS
"""Start time of every run of this process, so that a span sent again is the same span."""
ROWS = ".grid .row"
PANEL = ".annotate"
WRITES = "**/annotations?*"
WRONG = {"correctness": "incorrect", "error_type": "execution", "severity": "major"}
TEAM = 99
"""The number of the span of the agent that owns the later steps."""
SAVED = "saved"


def send_steps(
    service: RunningSpanloom,
    numbers: Sequence[int],
    trace: str = "",
    answers: Mapping[int, str] | None = None,
    below: int = 0,
    *,
    is_waiting: bool = True,
) -> str:
    """Send an agent (span 1) with a tool's step for each number, and return the trace id.

    The steps from ``below`` on belong to a second agent. Sending the same trace again with other
    ``answers`` changes the steps. Waits until the run is settled unless ``is_waiting`` is false.
    """
    trace = trace or secrets.token_hex(16)
    send(service, message_of(_spans(trace, numbers, answers or {}, below)))
    if is_waiting:
        wait_for(service.api, trace)
    return trace


def send_many_steps(service: RunningSpanloom, numbers: Sequence[int], count: int) -> list[str]:
    """Send ``count`` runs as ``send_steps`` does, wait until all are settled; return their ids."""
    traces = [secrets.token_hex(16) for _ in range(count)]
    spans = [span for trace in traces for span in _spans(trace, numbers, {}, 0)]
    send(service, message_of(spans))
    wait_for_all(service.api, traces)
    return traces


def _spans(
    trace: str, numbers: Sequence[int], answers: Mapping[int, str], below: int
) -> list[Span]:
    spans = [wire_span(trace, 1, 0, "planner", START_NS, _agent("planner"))]
    if below:
        start = START_NS + below * MS - 1
        spans.append(wire_span(trace, TEAM, 1, "coder", start, _agent("coder")))
    for number in numbers:
        parent = TEAM if below and number >= below else 1
        answer = answers.get(number, f"answer {number}")
        start = START_NS + number * MS
        spans.append(
            wire_span(trace, number, parent, f"tool {number}", start, _tool(number, answer))
        )
    return spans


def step_id(number: int) -> str:
    """Return the id of the step with this number."""
    return f"{number:016x}"


def _agent(name: str) -> dict[str, object]:
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}


def _tool(number: int, answer: str) -> dict[str, object]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": f"tool {number}",
        "gen_ai.tool.call.arguments": json.dumps({"q": f"question {number}"}),
        "gen_ai.tool.call.result": answer,
    }


def call(
    service: RunningSpanloom, method: str, path: str, body: object = None, who: str = "ada"
) -> Any:
    """Send an API request as an annotator; return the JSON of the response."""
    url, headers = service.api + path, {ANNOTATOR_HEADER: who}
    answer = httpx.request(method, url, headers=headers, json=body, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()


def said_of(service: RunningSpanloom, trace: str, who: str = "ada") -> dict[str, dict[str, Any]]:
    """Return an annotator's annotations of a run by step, without empty ones."""
    path = f"/v1/trajectories/{trace}/annotations?annotator={who}"
    rows = call(service, "GET", path, who=who)["items"]
    return {row["step_id"]: row for row in rows if row["correctness"] or row["value"]}


def say_who_failed(service: RunningSpanloom, trace: str, step: str) -> None:
    """Annotate a step as bo under the scheme *blame*: the planner failed there."""
    text = "annotation_type: failure_attribution\nname: blame\ndescription: Who failed?\n"
    call(service, "PUT", "/v1/schemes/blame", {"text": text})
    value = {"decisive_step": step, "responsible_agent": "planner"}
    item = {"write_id": "write-blame", "value": value}
    path = f"/v1/trajectories/{trace}/annotations"
    call(service, "POST", path, {"scheme": "blame", "items": [item]}, "bo")


def annotate(
    page: Page,
    service: RunningSpanloom,
    trace: str,
    query: str = "potato",
    *,
    is_saved: bool = True,
) -> Locator:
    """Open a run with the panel, as ada, and return the grid once the annotations are there."""
    remember(page, service.api, "annotator", "ada")
    page.goto(f"{service.api}/trajectories/{trace}?annotate={query}")
    if is_saved:
        wait_saved(page)
    expect(page.locator(f"{ROWS} .marks[data-drawn]").first).to_be_attached()
    grid = page.get_by_role("treegrid", name="Steps")
    grid.focus()
    return grid


def wait_saved(page: Page) -> None:
    """Wait until the panel shows that everything is stored."""
    expect(page.locator(f"{PANEL} .saved")).to_have_text(SAVED)


def is_write(route: Route) -> bool:
    """Return whether a request stores annotations."""
    return route.request.method == "POST"


def act(page: Page, *keys: str) -> None:
    """Press keys, one after the other."""
    for key in keys:
        page.keyboard.press(key)
