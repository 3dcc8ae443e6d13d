"""The page with forced colours and on paper: no information depends on what these remove."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.annotated_page import annotate, send_steps

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page
    from tests.conftest import RunningSpanloom
    from tests.support.page_runs import PageRuns

PAGES_OF_PDF = re.compile(rb"/Type\s*/Page\b(?!s)")


@pytest.fixture(scope="module")
def judged(service: RunningSpanloom) -> str:
    return send_steps(service, range(2, 5))


def style(of: Locator, name: str) -> str:
    return str(of.evaluate("(one, name) => getComputedStyle(one)[name]", name))


@pytest.mark.nightly
def test_forced_colours_leave_what_is_chosen_and_what_is_judged(
    page: Page, service: RunningSpanloom, judged: str
) -> None:
    page.emulate_media(forced_colors="active")
    annotate(page, service, judged)
    tabs = page.locator(".step .tabs button")
    on, off = (style(tabs.nth(at), "borderBottomColor") for at in (0, 1))
    assert on != off
    page.keyboard.press("1")
    page.keyboard.press("ArrowUp")
    pressed, other = page.locator(".option").nth(0), page.locator(".option").nth(1)
    expect(pressed).to_have_attribute("aria-pressed", "true")
    assert style(pressed, "outlineStyle") == "solid" != style(other, "outlineStyle")
    right, none = page.locator(".grid .mark.m-right").first, page.locator(".grid .mark.m-none")
    assert style(right, "backgroundColor") != style(none.first, "backgroundColor")
    assert style(page.locator(".grid .row.on"), "outlineStyle") == "solid"
    assert style(page.locator(".figures progress"), "forcedColorAdjust") == "none"


@pytest.mark.nightly
@pytest.mark.usefixtures("long_list")
def test_paper_has_all_of_a_list_and_of_two_runs(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    page.goto(service.api)
    expect(page.locator("table.runs tbody tr").nth(39)).to_be_visible()
    assert len(PAGES_OF_PDF.findall(page.pdf(format="A4"))) > 1
    page.emulate_media(media="print")
    expect(page.locator(".question")).to_be_hidden()
    box = page.locator(".scroll")
    assert box.evaluate("(one) => one.scrollHeight <= one.clientHeight + 1")
    page.emulate_media(media="screen")
    page.goto(f"{service.api}/diff?a={runs.team}&b={runs.failing}")
    expect(page.locator(".steps-of tr").first).to_be_visible()
    page.emulate_media(media="print")
    assert page.evaluate(
        "document.querySelector('.diff').scrollHeight <="
        " document.querySelector('.diff').clientHeight + 1"
    )


def test_paper_of_a_run_keeps_marks_and_says_how_all_of_it_is_printed(
    page: Page, service: RunningSpanloom, judged: str
) -> None:
    annotate(page, service, judged)
    page.keyboard.press("1")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.emulate_media(media="print")
    expect(page.locator(".on-paper")).to_contain_text("Export… as html")
    expect(page.locator(".player")).to_be_hidden()
    assert style(page.locator(".grid .mark.m-right").first, "printColorAdjust") == "exact"
    assert len(PAGES_OF_PDF.findall(page.pdf(format="A4"))) < 5
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
