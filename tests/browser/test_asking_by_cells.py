"""Lists: cells that add a filter by a click, the order, repeated calls, slow answers, phones."""

from __future__ import annotations

import json
import re
import secrets
import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.annotated_page import MS
from tests.support.interception import intercept
from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import send, start_quick, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom, StartSpanloom

ROWS = "table.runs tbody tr"
TESTS = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "run_tests",
    "gen_ai.tool.call.arguments": json.dumps({"path": "tests"}),
}
START_NS = (time.time_ns() // MS - 60_000) * MS


@pytest.fixture(scope="module")
def service(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    """Serve two runs, one of which repeats a tool call 14 times."""
    running = start_quick(start_shared_spanloom)
    for agent, times in (("coder", 14), ("planner", 1)):
        trace = secrets.token_hex(16)
        told = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent}
        root = wire_span(trace, 1, 0, f"invoke_agent {agent}", START_NS, told)
        root.end_time_unix_nano = START_NS + 100 * MS
        calls = [
            wire_span(trace, 2 + n, 1, "run_tests", START_NS + n * MS, TESTS) for n in range(times)
        ]
        send(running, message_of([root, *calls], {"service.version": f"{agent}-1.5"}))
        wait_for(running.api, trace)
    return running


def test_a_click_on_a_name_in_a_cell_asks_for_it(page: Page, service: RunningSpanloom) -> None:
    page.goto(f"{service.api}/?where=duration+%3E+1ms")
    expect(page.locator(ROWS)).to_have_count(2)
    page.locator("td.c-agents").get_by_role("button", name="coder").click()
    expect(page.locator(ROWS)).to_have_count(1)
    expect(page.locator("#where")).to_have_value('duration > 1ms and agent = "coder"')


@pytest.mark.nightly
def test_the_order_is_a_column_and_a_repeated_call_is_told(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(f"{service.api}/?order=-longest_repeat")
    first = page.locator(ROWS).first
    expect(first.locator("td.c-longest_repeat")).to_have_text("14")
    expect(first.locator("td.c-name")).to_contain_text("the same call 14 times in a row")
    page.goto(f"{service.api}/?order=-wall_time")
    expect(page.locator(f"{ROWS} td.c-wall_time").first).to_contain_text("ms")
    first.get_by_role("link").click()
    expect(page.locator(".run-head")).to_contain_text(re.compile("release (coder|planner)-1.5"))
    expect(page.get_by_role("button", name="Versions")).to_have_count(0)


def test_where_there_is_room_a_state_is_a_word(page: Page, service: RunningSpanloom) -> None:
    for width, is_shown in ((1440, True), (1280, False)):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(service.api)
        box = page.locator(f"{ROWS} .state .sr").first.bounding_box()
        assert box
        assert (box["width"] > 20) is is_shown


def test_the_present_section_is_in_sight_on_a_phone(page: Page, service: RunningSpanloom) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{service.api}/settings")
    expect(page.get_by_role("link", name="Settings")).to_be_in_viewport(ratio=1)


def test_a_conversation_without_an_id_is_the_list_of_them(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(f"{service.api}/conversation")
    page.wait_for_url("**/conversations")
    expect(page.get_by_role("link", name="Conversations")).to_have_attribute("aria-current", "page")


def test_a_conversation_that_a_link_opened_leads_to_the_list_of_them(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(f"{service.api}/conversation?id=gone")
    back = page.locator(".neighbours").get_by_role("link", name=re.compile("Conversations"))
    expect(back).to_have_attribute("href", "/conversations")


def test_a_slow_service_is_told(page: Page, service: RunningSpanloom) -> None:
    page.goto(f"{service.api}/settings")
    expect(page.get_by_text("Version")).to_be_visible()
    let_through = intercept(page, "*/v1/trajectories?*", lambda _: None)  # never answered
    page.goto(service.api)
    expect(page.get_by_text("The service is slow")).to_be_visible()
    let_through()
    expect(page.get_by_text("The service is slow")).to_have_count(0)


@pytest.mark.nightly
def test_rows_of_another_range_are_dimmed_and_take_no_click(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(f"{service.api}/overview")
    tools = page.locator(".top-table").nth(2)
    expect(tools.get_by_role("link").first).to_be_visible()
    held = intercept(page, "*/v1/stats?*by=name*", lambda _: None)  # never answered
    page.get_by_role("button", name="30 d").click()
    expect(tools.locator(".old")).to_have_css("pointer-events", "none")
    held()


def test_a_diagnosis_shows_hidden_characters_by_their_numbers(
    page: Page, service: RunningSpanloom
) -> None:
    found = {"name": "prices", "status": "warning", "found": "no price: \u202eevil", "todo": "`do`"}
    answer = {"findings": [found]}
    let_through = intercept(page, "*/v1/doctor*", lambda held: held.fulfill(json=answer))
    page.goto(f"{service.api}/settings")
    expect(page.get_by_text("no price: ⟨U+202E⟩evil")).to_be_visible()
    expect(page.locator("td code")).to_have_text("do")
    let_through()
