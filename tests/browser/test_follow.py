"""A live run grows on its page if the reader follows it, and nothing in sight moves."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

import httpx
from playwright.sync_api import expect
from tests.support.annotated_page import MS, ROWS
from tests.support.axe import moderate
from tests.support.browser import wait_until
from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import send

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Locator, Page
    from tests.conftest import RunningSpanloom

CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o"}


def send_calls(
    service: RunningSpanloom, numbers: Sequence[int], trace: str = "", start_ns: int = 0
) -> tuple[str, int]:
    """Send model spans of a run whose root has not ended; return its trace id and its start."""
    trace, start_ns = trace or secrets.token_hex(16), start_ns or time.time_ns() // MS * MS
    spans = [wire_span(trace, n, 1, f"chat {n}", start_ns + n * 100 * MS, CHAT) for n in numbers]
    send(service, message_of(spans))
    return trace, start_ns


def open_live(page: Page, service: RunningSpanloom, trace: str) -> Locator:
    """Open a run as soon as the service has it; return the button that follows it."""
    wait_until(page, lambda: httpx.get(f"{service.api}/v1/trajectories/{trace}").is_success)
    page.goto(f"{service.api}/trajectories/{trace}")
    return page.get_by_role("button", name="Follow")


def named_at(page: Page, timeline: Locator, share: float) -> str:
    """Return the steps that the timeline's tooltips name around a fraction of its width."""
    box = timeline.bounding_box()
    assert box
    found = []
    for beyond in (-1, 0, 1):
        page.mouse.move(box["x"] + share * box["width"] + beyond, box["y"] + box["height"] - 10)
        found.append(timeline.get_attribute("title") or "")
    return " ".join(found)


def test_rows_come_without_a_click_and_stay_away_where_they_are_not_wanted(
    page: Page, service: RunningSpanloom
) -> None:
    trace, start_ns = send_calls(service, range(2, 42))
    button = open_live(page, service, trace)
    expect(button).to_have_attribute("aria-pressed", "false")
    grid = page.get_by_role("treegrid")
    calls = page.locator(f"{ROWS}.k-model")
    expect(calls.first).to_be_visible()
    expect(page.locator(f"{ROWS}.k-model[aria-expanded]")).to_have_count(0)  # none is the root
    before = int(grid.get_attribute("aria-rowcount") or "0")
    page.locator(ROWS, has_text="chat 5").first.click()
    grid.evaluate("(it) => { it.scrollTop = 60; }")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    send_calls(service, [42, 43], trace, start_ns)
    expect(grid).to_have_attribute("aria-rowcount", str(before + 2))
    assert grid.evaluate("(it) => it.scrollTop") == 60
    expect(page.locator(f"{ROWS}.on")).to_contain_text("chat 5")
    expect(page.locator(".newer-bar")).to_have_count(0)
    expect(page.locator(".run-head .facts")).to_contain_text("4.10 s")
    expect(page.locator(".step")).to_contain_text("model call 4 of 42")
    timeline = page.locator("canvas.flame")
    wait_until(page, lambda: "chat 42" in named_at(page, timeline, 40 / 41))
    grid.evaluate("(it) => { it.scrollTop = it.scrollHeight; }")
    send_calls(service, [44, 45], trace, start_ns)
    expect(page.locator(ROWS, has_text="chat 45")).to_be_in_viewport()  # the tree was at its end
    assert moderate(page) == []
    button.click()
    send_calls(service, [46, 47], trace, start_ns)
    expect(page.locator(".newer-bar")).to_be_visible()
    expect(grid).to_have_attribute("aria-rowcount", str(before + 4))
