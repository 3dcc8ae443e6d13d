"""Text typed into the list's box becomes the intended filter, or the page explains it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.page_runs import PageRuns, send_page_runs, start_quick

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom, StartSpanloom


@pytest.fixture(scope="module")
def service(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    """A service of its own, because its runs are counted."""
    return start_quick(start_shared_spanloom)


@pytest.fixture(scope="module")
def runs(service: RunningSpanloom) -> PageRuns:
    return send_page_runs(service)


@pytest.mark.usefixtures("runs")
def test_what_is_typed_becomes_chips(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    box = page.get_by_label("Which runs")
    box.fill("type:tool name:weather -is:annotated steps>1")
    box.press("Enter")
    chips = page.locator(".chip code")
    step = 'has(type = tool and name = "weather")'
    expect(chips).to_have_text([step, "not annotated", "steps > 1"])
    expect(page.locator("table.runs tbody tr")).to_have_count(1)
    page.get_by_role("button", name="Take out steps > 1").click()
    expect(box).to_have_value(f"{step} and not annotated")
    box.fill("is:error")
    box.press("Enter")
    expect(box).to_have_value("has_error")
    box.fill("is:error")
    box.press("Enter")
    expect(box).to_have_value("has_error")


@pytest.mark.usefixtures("runs")
def test_for_what_cannot_be_asked_or_finds_nothing_a_question_is_offered(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(service.api)
    box, mark = page.get_by_label("Which runs"), page.locator(".fault mark")
    box.fill("typ:tool")
    page.keyboard.press("Enter")
    expect(mark).to_have_text("typ")
    page.get_by_role("button", name="type?").click()
    expect(page.locator(".chip code")).to_have_text(["has(type = tool)"])
    expect(page.locator("table.runs tbody tr").first).to_be_visible()
    box.fill("forecaster")  # a word that is in no text
    page.keyboard.press("Enter")
    page.get_by_role("button", name='root_name = "forecaster"').click()
    expect(page.locator("table.runs tbody tr")).to_have_count(1)
    box.fill("error")
    page.keyboard.press("Enter")
    expect(page.locator(".chip code")).to_have_text(["has_error"])
    expect(mark).to_have_count(0)
