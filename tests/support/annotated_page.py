"""Runs to annotate on the page, and the page with somebody's name in it."""

from __future__ import annotations

import json
import secrets
import time
from typing import TYPE_CHECKING, Any

import httpx
from playwright.sync_api import expect
from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import send, wait_for

from spanloom.api.annotations.annotators import HEADER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playwright.sync_api import Locator, Page, Route
    from tests.conftest import RunningSpanloom

MS = 1_000_000
START_NS = (time.time_ns() // MS - 600_000) * MS
"""Of every run of this process: a span that is sent again is the same span."""
ROWS = ".grid .row"
PANEL = ".annotate"
WRITES = "**/annotations?*"
WRONG = {"correctness": "incorrect", "error_type": "execution", "severity": "major"}
TEAM = 99
"""The span of the agent below which the later steps are."""
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

    Those from ``below`` on are the steps of an agent of their own. Sent again with other answers, a
    step says something else. Waits until it is settled, unless the caller does.
    """
    trace = trace or secrets.token_hex(16)
    spans = [wire_span(trace, 1, 0, "planner", START_NS, _agent("planner"))]
    if below:
        start = START_NS + below * MS - 1
        spans.append(wire_span(trace, TEAM, 1, "coder", start, _agent("coder")))
    for number in numbers:
        parent = TEAM if below and number >= below else 1
        said = (answers or {}).get(number, f"answer {number}")
        start = START_NS + number * MS
        spans.append(wire_span(trace, number, parent, f"tool {number}", start, _tool(number, said)))
    send(service, message_of(spans))
    if is_waiting:
        wait_for(service.api, trace)
    return trace


def step_id(number: int) -> str:
    """Return the id of the step of a number."""
    return f"{number:016x}"


def _agent(name: str) -> dict[str, object]:
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}


def _tool(number: int, said: str) -> dict[str, object]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": f"tool {number}",
        "gen_ai.tool.call.arguments": json.dumps({"q": f"question {number}"}),
        "gen_ai.tool.call.result": said,
    }


def call(
    service: RunningSpanloom, method: str, path: str, body: object = None, who: str = "ada"
) -> Any:
    """Ask the API as an annotator, and return the JSON that it answers."""
    url, headers = service.api + path, {HEADER: who}
    answer = httpx.request(method, url, headers=headers, json=body, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()


def said_of(service: RunningSpanloom, trace: str, who: str = "ada") -> dict[str, dict[str, Any]]:
    """Return what somebody says of a run, by step; what says nothing is left out."""
    path = f"/v1/trajectories/{trace}/annotations?annotator={who}"
    rows = call(service, "GET", path, who=who)["items"]
    return {row["step_id"]: row for row in rows if row["correctness"] or row["value"]}


def say_who_failed(service: RunningSpanloom, trace: str, step: str) -> None:
    """Have bo say under the scheme *blame* that the planner failed at a step."""
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
    """Open a run with the panel, as ada, and return the grid once the marks are there."""
    page.add_init_script(
        "localStorage.getItem('spanloom.annotator') ?? "
        "localStorage.setItem('spanloom.annotator', '\"ada\"')"
    )
    page.goto(f"{service.api}/trajectories/{trace}?annotate={query}")
    if is_saved:
        wait_saved(page)
    expect(page.locator(f"{ROWS} .marks[data-drawn]").first).to_be_attached()
    grid = page.get_by_role("treegrid", name="Steps")
    grid.focus()
    return grid


def wait_saved(page: Page) -> None:
    """Wait until the panel says that everything is stored."""
    expect(page.locator(f"{PANEL} .saved")).to_have_text(SAVED)


def is_write(route: Route) -> bool:
    """Return whether a request stores annotations."""
    return route.request.method == "POST"


def act(page: Page, *keys: str) -> None:
    """Press keys, one after the other."""
    for key in keys:
        page.keyboard.press(key)
