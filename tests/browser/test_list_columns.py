"""Columns of the list in a real browser: any numeric field that the API describes."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import expect
from tests.support.page_runs import start_quick
from tests.support.team_runs import send_team

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom, StartSpanloom

ROWS = "table.runs tbody tr"


@pytest.fixture(scope="module")
def service(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    running = start_quick(start_shared_spanloom)
    send_team(running, 1)
    return running


OFFERED = {
    "model_error_rate": "model error rate",
    "tool_error_rate": "tool error rate",
    "tool_step_proportion": "share of tools",
    "tokens_per_second": "tokens per second",
    "first_token": "first token",
    "wall_time": "from first to last",
    "release": "release",
    "longest_repeat": "same call in a row",
    "repeated_calls": "same call again",
}


def test_a_field_is_chosen_as_a_column_and_ordered_by(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    expect(page.locator(ROWS).first).to_be_visible()
    page.get_by_role("button", name="Columns").click()
    for words in OFFERED.values():
        page.get_by_role("checkbox", name=words, exact=True).check()
    page.keyboard.press("Escape")
    for name, words in OFFERED.items():
        expect(page.locator(f"{ROWS} td.c-{name}").first).to_have_attribute("data-label", words)
    expect(page.locator(f"{ROWS} td.c-wall_time").first).to_have_text(seconds_of(service))
    expect(page.locator(f"{ROWS} td.c-tool_step_proportion").first).to_contain_text("%")
    page.get_by_role("button", name="from first to last").click()
    expect(page.get_by_role("columnheader", name="from first to last")).to_have_attribute(
        "aria-sort", "descending"
    )
    assert parse_qs(urlsplit(page.url).query)["order"] == ["-wall_time"]


def seconds_of(service: RunningSpanloom) -> str:
    """Return the newest run's time from its first to its last span, as the list writes it."""
    newest = httpx.get(f"{service.api}/v1/trajectories", params={"limit": 1}).json()["items"][0]
    asked = {"metrics": "max(wall_time)", "where": f'trace_id = "{newest["trace_id"]}"'}
    ms = httpx.get(f"{service.api}/v1/stats", params=asked).json()["items"][0]["max(wall_time)"]
    return f"{ms / 1000:.2f} s" if ms >= 1000 else f"{ms:.0f} ms"


def test_an_address_with_such_a_column_shows_its_values(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(f"{service.api}/?columns=name,user,longest_repeat,first_token,nothing")
    expect(page.locator("table.runs thead th")).to_have_count(5)
    expect(page.locator(f"{ROWS} td.c-longest_repeat").first).to_have_text("1")
