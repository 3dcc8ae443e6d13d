"""The page compares the behaviour of two releases; each number opens the runs that it counts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.asked_runs import send_asked_runs
from tests.support.page_runs import start_quick
from tests.support.qualities import faults
from tests.support.wide_elements import WIDE

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize
    from tests.conftest import RunningSpanloom, StartSpanloom

PHONE: ViewportSize = {"width": 390, "height": 844}
RUNS = 12


@pytest.fixture(scope="module")
def released(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    """A service with runs of two releases; runs of the newer one call `verify` before `book`."""
    service = start_quick(start_shared_spanloom)
    old, new = ["search", "book"], ["search", "verify", "book"]
    send_asked_runs(service, "1.4.0", [old] * RUNS)
    send_asked_runs(service, "1.5.0", [new] * RUNS, first=RUNS + 1)
    return service


def test_two_releases_differ_and_each_figure_opens_its_runs(
    page: Page, released: RunningSpanloom
) -> None:
    page.goto(f"{released.api}/compare")
    page.locator("form", has_text="two releases").get_by_role("button").press("Enter")
    row = page.locator("table.differences tbody tr", has_text="tool: verify")
    expect(row).to_contain_text("+100 %")
    expect(page.locator("input#a")).to_have_value('release = "1.4.0"')
    assert faults(page) == []
    page.set_viewport_size(PHONE)
    page.get_by_role("button", name="中文").click()
    expect(page.locator("h2").first).to_contain_text("处差异")
    assert page.evaluate(WIDE) == []
    row.get_by_role("link").press("Enter")  # in no run of release A
    expect(page.locator(".counts")).to_have_text(f"{RUNS} 个运行")


def test_a_wrong_question_is_marked_and_few_or_equal_runs_show_nothing(
    page: Page, released: RunningSpanloom
) -> None:
    page.goto(f"{released.api}/compare")
    first = page.locator("input#a")
    second = page.locator("input#b")
    first.fill("toolz = x")
    second.fill("tool_steps > 1")
    second.press("Enter")
    expect(page.locator("#fault-a")).to_contain_text("toolz")
    expect(first).to_have_attribute("aria-invalid", "true")
    assert faults(page) == []
    first.fill("tool_steps > 1")
    first.press("Enter")
    expect(page.locator("main")).to_contain_text(re.compile(r"any of \d+ features"))
    first.fill("steps > 99")
    first.press("Enter")
    expect(page.locator("main")).to_contain_text("Fewer than 8 runs of a set")


def test_fields_are_suggested_as_in_the_list(page: Page, released: RunningSpanloom) -> None:
    page.goto(f"{released.api}/compare")
    box = page.locator("input#a")
    box.press_sequentially("relea")
    expect(page.locator("#offers-a [role=option]").first).to_contain_text("release")
    box.press("ArrowDown")
    box.press("Enter")
    expect(box).to_have_value("release ")
