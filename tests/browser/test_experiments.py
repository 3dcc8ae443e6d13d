"""Experiments on the page: from runs to the step that fails, by keyboard alone; refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.asked_runs import send_asked_runs
from tests.support.keyboard import press, reach
from tests.support.page_runs import start_quick
from tests.support.qualities import faults
from tests.support.wide_elements import WIDE

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize
    from tests.conftest import RunningSpanloom, StartSpanloom

PHONE: ViewportSize = {"width": 390, "height": 844}
LIMITS = "- {name: limits, kind: rules, rules: {max_tool_calls: %d}}"
SCORE = "limits/max_tool_calls"


@pytest.fixture(scope="module")
def asked(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    """A service with five runs; the second run has one tool call more than the others."""
    service = start_quick(start_shared_spanloom)
    tools = ["search", "book"]
    send_asked_runs(service, "1.0", [tools, ["search", *tools], tools, tools, tools])
    return service


@pytest.mark.nightly
def test_from_five_runs_to_the_step_that_fails_by_keys_alone(
    page: Page, asked: RunningSpanloom
) -> None:
    page.goto(asked.api)
    expect(page.locator("table.runs tbody tr")).to_have_count(5)
    for key in "xj" * 5 + "D":
        page.keyboard.press(key)
    dialog = page.get_by_role("dialog", name="Create a dataset")
    expect(dialog.get_by_role("status")).to_have_text("5 rows would be written")
    page.keyboard.type("trips")
    page.keyboard.press("Enter")
    press(page, dialog.get_by_role("link", name="Open trips"))
    press(page, page.get_by_role("button", name="Commit as the next version"))
    press(page, page.get_by_role("button", name="Version 1"))
    start(page, "generous", 10)
    press(page, page.get_by_role("link", name="trips@1"))
    start(page, "strict", 2)
    row = page.locator("table.results tbody tr").first
    expect(row).to_contain_text("✕ failed")
    expect(page.locator("table.scores tbody tr")).to_contain_text("80 %")
    assert faults(page) == []
    press(page, page.get_by_role("button", name="Compare"))
    changed = page.locator("table.changed tbody tr")
    expect(changed).to_have_count(1)
    expect(changed).to_contain_text(f"{2:032x}")
    expect(page.locator("table.scores tbody tr")).to_contain_text("no difference shown")
    assert faults(page) == []
    press(page, changed.get_by_role("link", name="evidence 1"))
    page.wait_for_url(f"**/trajectories/{2:032x}?*step=*")
    expect(page.locator(".step-head.k-tool")).to_be_visible()


def start(page: Page, name: str, most: int) -> None:
    """Start an experiment on the shown version that allows ``most`` tool calls; await its end."""
    press(page, page.get_by_role("link", name="Experiment on it"))
    reach(page, page.get_by_label("Name", exact=True))
    page.keyboard.type(name)
    reach(page, page.get_by_label("Evaluators, as YAML or JSON"))
    page.keyboard.type(LIMITS % most)
    press(page, page.get_by_role("button", name="Start it"))
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.locator("main")).to_contain_text("done 5/5")


def test_what_is_refused_is_marked_at_its_line_and_a_phone_shows_all(
    page: Page, asked: RunningSpanloom
) -> None:
    page.goto(f"{asked.api}/experiments?new=1")
    page.get_by_label("Name", exact=True).fill("of runs")
    page.get_by_role("radio", name="Stored runs").check()
    page.get_by_role("button", name="match").click()
    text = page.get_by_label("Evaluators, as YAML or JSON")
    right = text.input_value()
    text.fill(right.replace("in_order", "in_ordr"))
    page.get_by_role("button", name="Start it").click()
    items = page.locator("ol.source > li")
    expect(items.nth(2)).to_contain_text("in_ordr")
    expect(items.nth(2).locator("p.wrong")).to_have_count(1)
    assert faults(page) == []
    page.get_by_role("combobox", name="Which runs").fill("toolz = x")
    text.fill(LIMITS % 2)
    page.get_by_role("button", name="Start it").click()
    expect(page.locator("#fault-where")).to_contain_text("toolz")
    page.get_by_role("combobox", name="Which runs").fill("tool_steps > 1")
    page.get_by_role("button", name="Start it").click()
    expect(page.locator("main")).to_contain_text("done 5/5")
    page.set_viewport_size(PHONE)
    page.get_by_role("button", name="中文").click()
    expect(page.locator("table.results tbody tr")).to_have_count(5)
    assert page.evaluate(WIDE) == []
    page.goto(f"{asked.api}/experiments")
    expect(page.locator("table.experiments tbody tr").first).to_be_visible()
    assert page.evaluate(WIDE) == []
    assert faults(page) == []
