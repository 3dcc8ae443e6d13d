"""What is typed into the list's box becomes the question that was meant, or is told of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.page_runs import PageRuns, send_page_runs

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom


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
def test_an_unknown_term_says_what_was_meant(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    page.get_by_label("Which runs").fill("typ:tool")
    page.keyboard.press("Enter")
    expect(page.locator(".fault mark")).to_have_text("typ")
    page.get_by_role("button", name="type?").click()
    expect(page.locator(".chip code")).to_have_text(["has(type = tool)"])
    expect(page.locator("table.runs tbody tr").first).to_be_visible()


@pytest.mark.usefixtures("runs")
def test_a_word_that_nobody_said_is_offered_as_a_name(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    page.get_by_label("Which runs").fill("forecaster")
    page.keyboard.press("Enter")
    page.get_by_role("button", name='root_name = "forecaster"').click()
    expect(page.locator("table.runs tbody tr")).to_have_count(1)


@pytest.mark.usefixtures("runs")
def test_error_alone_is_answered_with_a_question_that_can_be_asked(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(service.api)
    page.get_by_label("Which runs").fill("error")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="error?", exact=True)).to_have_count(0)
    page.get_by_role("button", name="has_error?").click()
    expect(page.get_by_label("Which runs")).to_have_value("has_error")
    expect(page.locator(".fault mark")).to_have_count(0)
