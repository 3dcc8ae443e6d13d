"""A person's ways through the page, which use only visible and clickable elements.

docs/viewer.md lists the clicks. Other ways are tested with their subjects: fifty steps by fifty
keys (``test_annotate.py``); two people who judge the same run, compare, and take it to Potato and
back, and a new version during judging (``test_judged_together.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.ground_truth import all_captures
from tests.support.long_runs import FAILS_AT
from tests.support.page_runs import wait_for
from tests.support.sent_captures import send as send_capture

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page
    from tests.conftest import RunningSpanloom

PASSED_ON = "other-google-adk/tool_error_raised"


def open_list(page: Page, service: RunningSpanloom, trace: str) -> None:
    """Open the list, filtered to one run of 2,000 steps."""
    page.goto(f'{service.api}/?where=trace_id = "{trace}"')


class Walk:
    """Counts the clicks of a person."""

    def __init__(self) -> None:
        self.clicks = 0

    def click(self, what: Locator) -> None:
        what.click()
        self.clicks += 1


def test_the_failing_tool_call_of_a_long_run_is_two_clicks_away(
    page: Page, service: RunningSpanloom, deep: str
) -> None:
    walk = Walk()
    open_list(page, service, deep)
    walk.click(page.get_by_role("link", name="worker 0"))
    walk.click(page.get_by_role("button", name="✕ 1", exact=True))
    step = page.locator(".step .chosen")
    expect(step.get_by_role("heading", level=2)).to_contain_text("search")
    expect(step).to_contain_text("429 slow down")
    expect(step).to_contain_text("hotels in Bergen")
    page.wait_for_url(f"**step={FAILS_AT:016x}*")
    expect(page.locator(".grid .row.on")).to_be_in_viewport()
    assert walk.clicks == 2


@pytest.mark.nightly
def test_errors_lead_back_to_the_tree_from_any_view(
    page: Page, service: RunningSpanloom, deep: str
) -> None:
    open_list(page, service, deep)
    page.get_by_role("link", name="worker 0").click()
    page.get_by_role("button", name="Transcript").click()
    page.get_by_role("button", name="✕ 1", exact=True).click()
    expect(page.locator(".step .chosen")).to_contain_text("429 slow down")


def test_an_error_leads_to_the_step_that_is_counted_and_not_to_what_it_passed_through(
    page: Page, service: RunningSpanloom
) -> None:
    """The workflow, the agent and its tool all failed, which counts as one failure, of the tool."""
    capture = next(one for one in all_captures() if one.id == PASSED_ON)
    send_capture(service, capture)
    (trace,) = capture.spans_by_trace
    wait_for(service.api, trace)
    page.goto(f'{service.api}/?where=trace_id = "{trace}"')
    page.get_by_role("link", name="✕ 1", exact=True).click()
    chosen = page.locator(".grid .row.on .label")
    expect(chosen).to_have_text("query_orders")
    page.goto(f"{service.api}/trajectories/{trace}")
    page.get_by_role("button", name="✕ 1", exact=True).click()
    expect(chosen).to_have_text("query_orders")


@pytest.mark.nightly
def test_a_large_graph_opens_at_what_is_chosen(
    page: Page, service: RunningSpanloom, deep: str
) -> None:
    open_list(page, service, deep)
    page.get_by_role("link", name="worker 0").click()
    expect(page.locator(".grid .row").first).to_be_visible()
    page.get_by_role("button", name="Graph").click()
    page.get_by_role("button", name="Each call").click()
    expect(page.locator(".node.on")).to_be_in_viewport()
    expect(page.locator(".node.on")).to_contain_text("worker 0")
    page.get_by_role("button", name="Tree").click()
    page.get_by_role("button", name="✕ 1", exact=True).click()
    page.wait_for_url(f"**step={FAILS_AT:016x}*")
    page.get_by_role("button", name="Graph").click()
    page.get_by_role("button", name="Each call").click()
    expect(page.locator(".node .faults")).to_be_in_viewport()
