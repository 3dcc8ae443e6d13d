"""What a reader of one run looks for: where it failed, what went in a circle, what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.coder_run import PROMPT, QUOTA, TIMES, send_coder_run
from tests.support.qualities import faults

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom

ROWS = ".grid .row"
TWO_LINES = 36
"""Pixels."""


@pytest.fixture(scope="module")
def coder(service: RunningSpanloom) -> str:
    """The address of the run."""
    return f"{service.api}/trajectories/{send_coder_run(service)}"


def test_the_head_has_the_failure_and_only_its_step_is_red(page: Page, coder: str) -> None:
    page.goto(coder)
    failed = page.locator(".notes").get_by_role("button", name="fetch_page")
    expect(failed).to_have_text(f"✕ fetch_page: {QUOTA}")
    page.get_by_role("button", name="Graph").click()
    failed.click()
    expect(page.locator(f"{ROWS}.on .label")).to_have_text("fetch_page")
    expect(page.locator(f"{ROWS}.err .label")).to_have_text(["fetch_page"])
    passed = page.locator(f"{ROWS}.passed")
    expect(passed.locator(".label")).to_have_text(["coder", "researcher"])
    expect(passed.get_by_label("failed below")).to_have_count(2)
    assert faults(page) == []


def test_the_head_of_a_step_says_how_the_model_was_called(page: Page, coder: str) -> None:
    page.goto(f"{coder}?step=0000000000000006")
    step = page.locator(".step")
    expect(step.locator(".ids b")).to_have_text("model call 3 of 15")
    facts = step.get_by_label("Figures of the step")
    for label, value in (
        *(("in", "120"), ("out", "30"), ("cost", "$0.0006"), ("first token", "5.0 ms")),
        *(("finish", "stop"), ("temperature", "0.2"), ("max_tokens", "400"), ("model", "gpt-4o")),
    ):
        fact = facts.locator("div", has=page.locator(f"dt:text-is('{label}')"))
        expect(fact.locator("dd")).to_have_text(value)
    prompt = step.locator(".prompt")
    expect(prompt).to_have_text(f"▸ system {PROMPT.replace(chr(10), chr(32))}")
    expect(step.locator(".earlier")).to_have_text("▸ 4 earlier messages")
    prompt.click()
    expect(step.locator(".by-system .text")).to_have_text(PROMPT)
    assert faults(page) == []
    raw = step.get_by_role("button", name="Raw", exact=True)
    raw.click()
    name = step.locator("dt", has_text="gen_ai.usage.output_tokens")
    expect(name).to_be_visible()
    assert (name.bounding_box() or {})["height"] < TWO_LINES, "its name is broken beside free space"
    page.locator(f"{ROWS}.k-agent").first.click()
    expect(step.locator(".ids b")).to_have_text("agent 1 of 2")


def test_a_loop_is_one_row_that_opens(page: Page, coder: str) -> None:
    page.goto(coder)
    said = page.locator(".notes")
    expect(said).to_contain_text(f"run_tests: the same call {TIMES} times in a row")
    expect(said).to_contain_text("1.9k tokens, $0.0078")
    rows = page.locator(ROWS)
    expect(rows).to_have_count(6)
    loop = page.locator(ROWS, has_text=f"×{TIMES}, the same call")  # noqa: RUF001 - a sign
    expect(loop).to_have_attribute("aria-expanded", "false")
    expect(loop.locator(".tokens")).to_have_text("Σ 1.9k")
    expect(rows.first.locator(".tokens")).to_have_text("Σ 2.3k")
    said.get_by_role("button", name="the same call").click()
    expect(page.locator(f"{ROWS}.on")).to_have_id("r2")
    grid = page.get_by_role("treegrid", name="Steps")
    grid.focus()
    page.keyboard.press("ArrowRight")
    expect(grid).to_have_attribute("aria-rowcount", str(6 + 2 * (TIMES - 1) + 1))
    expect(loop).to_have_attribute("aria-expanded", "true")
    second = page.locator("#r4")
    expect(second).to_have_attribute("aria-level", "3")
    expect(second).to_have_attribute("aria-setsize", str(2 * (TIMES - 1)))
    second.click()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(rows).to_have_count(6)
    assert faults(page) == []
    page.goto(f"{coder}?step={5:016x}")  # inside the loop, which is open for it
    expect(page.locator(f"{ROWS}.on")).to_have_id("r4")
