"""The graph of a run with many agents: legible if it has room, with an overview map otherwise."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.annotated_page import MS
from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import send, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom

AGENTS = 20
START_NS = 1_763_600_000_000_000_000
APART = """() => {
  const boxes = [...document.querySelectorAll('.agent-box > rect:first-child')]
    .map((one) => one.getBoundingClientRect());
  const isBeside = (a, b) => a.right <= b.left || b.right <= a.left;
  const isAbove = (a, b) => a.bottom <= b.top || b.bottom <= a.top;
  return boxes.every((a, i) => boxes.every((b, k) => i === k || isBeside(a, b) || isAbove(a, b)));
}"""
"""Returns whether no box of an agent covers another."""


def send_crowd(service: RunningSpanloom) -> str:
    """Send a run whose root calls many agents with one model step each; return its trace id."""
    trace = secrets.token_hex(16)
    spans = []
    for n in range(AGENTS + 1):
        at = START_NS + n * 10 * MS
        told = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": f"specialist {n}"}
        agent = wire_span(trace, 1 + n, min(n, 1), f"invoke_agent specialist {n}", at, told)
        agent.end_time_unix_nano = at + 10 * MS if n else START_NS + 1_000 * MS
        chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o"}
        spans += [agent, wire_span(trace, 100 + n, 1 + n, "chat gpt-4o", at + MS, chat)]
    send(service, message_of(spans))
    wait_for(service.api, trace)
    return trace


@pytest.mark.nightly
def test_many_agents_are_legible_when_they_fit(page: Page, service: RunningSpanloom) -> None:
    page.goto(f"{service.api}/trajectories/{send_crowd(service)}?view=graph")
    boxes = page.locator(".agent-box")
    expect(boxes).to_have_count(AGENTS + 1)
    assert page.evaluate(APART)
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Zoom in").click()
    whole = page.locator(".overview-map")
    expect(whole).to_be_visible()
    sight = whole.locator(".sight")
    before = sight.get_attribute("x")
    box = whole.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] - 4, box["y"] + box["height"] - 4)
    expect(sight).not_to_have_attribute("x", before or "")
    page.get_by_role("button", name="Fit").click()
    expect(whole).to_have_count(0)
    letters = boxes.last.locator("text").first.bounding_box()
    assert letters
    assert letters["height"] > 7
