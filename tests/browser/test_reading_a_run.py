"""Reading one run: where it failed, which calls it repeated, what was said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import expect
from tests.support.coder_run import LATE_WORD, PROMPT, QUOTA, TIMES, send_coder_run
from tests.support.interception import intercept
from tests.support.page_runs import wait_for_count
from tests.support.qualities import faults

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect, Locator, Page
    from tests.conftest import RunningSpanloom

ROWS = ".grid .row"
MARKED = """(word) => [...(CSS.highlights.get("found") ?? [])].some((one) => {
  const { top, bottom } = one.getBoundingClientRect();
  return String(one) === word && top >= 0 && bottom <= innerHeight;
})"""
"""Returns whether a highlighted occurrence of a word is in sight."""
HIGHEST = 400
"""Maximum height above the first row on a phone, in pixels."""
TOP_OF_TEXT = "document.querySelector('.step .by-user .text').getBoundingClientRect().top"
TWO_LINES = 36
"""Height of two lines of text, in pixels."""


@pytest.fixture(scope="module")
def coder(service: RunningSpanloom) -> str:
    """The address of the run of a coding agent."""
    return f"{service.api}/trajectories/{send_coder_run(service)}"


def box_of(part: Locator) -> FloatRect:
    found = part.bounding_box()
    assert found
    return found


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


@pytest.mark.nightly
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
    assert box_of(name)["height"] < TWO_LINES, "its name is broken beside free space"
    page.locator(f"{ROWS}.k-agent").first.click()
    expect(step.locator(".ids b")).to_have_text("agent 1 of 2")


@pytest.mark.nightly
def test_a_loop_is_one_row_that_opens(page: Page, coder: str) -> None:
    page.goto(coder)
    said = page.locator(".notes")
    expect(said).to_contain_text(f"run_tests: the same call {TIMES} times in a row")
    expect(said).to_contain_text("1.9k tokens, $0.0078")
    rows = page.locator(ROWS)
    expect(rows).to_have_count(6)
    loop = page.locator(ROWS, has_text=f"×{TIMES}, the same call")  # noqa: RUF001 - times sign
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
    page.goto(f"{coder}?step={5:016x}")  # a step in the loop, which is opened
    expect(page.locator(f"{ROWS}.on")).to_have_id("r4")


@pytest.mark.nightly
def test_a_word_of_the_list_opens_the_run_where_it_was_said(
    page: Page, service: RunningSpanloom, coder: str
) -> None:
    trace = coder.rsplit("/", 1)[1]
    where = f'output: "red {LATE_WORD}" and trace_id = "{trace}"'
    wait_for_count(service.api, 1, where)
    page.goto(f"{service.api}/?where={quote(where)}")
    page.locator("td.c-name a").click()
    page.wait_for_url(f"**/trajectories/*q=red+{LATE_WORD}*")
    expect(page.locator(f"{ROWS}.on")).to_have_id("r31")
    expect(page.locator(".step .text", has_text=LATE_WORD)).to_be_visible()
    page.wait_for_function(MARKED, arg=LATE_WORD)
    find = page.get_by_label("Search steps")
    hits = page.locator(".find [role=status]")
    expect(hits).to_have_text("1 hit")
    intercept(page, "*/search*", lambda _: None)
    find.fill("nobody says this")
    expect(hits).to_have_text("looking …")
    find.blur()
    page.keyboard.press("y")
    expect(page.locator(".neighbours .toast")).to_have_text(re.compile("Copied|does not let"))
    assert faults(page) == []
    page.goto(f"{coder}?step={77:016x}")
    expect(page.locator(".lost")).to_contain_text("is not in this version")
    page.locator(ROWS).nth(1).click()
    expect(page.locator(".lost")).to_have_count(0)


def test_on_a_phone_rows_and_a_tapped_step_are_in_sight(page: Page, coder: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(coder)
    row = page.locator(ROWS).first
    expect(row).to_be_visible()
    expect(page.locator(".notes")).to_contain_text("$0.0078")
    assert box_of(row)["y"] < HIGHEST
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert faults(page) == []
    page.locator(ROWS).nth(1).click()
    said = page.locator(".step .by-user .text").first
    expect(said).to_have_text("Make the tests pass.")
    page.wait_for_function(f"() => {{ const y = {TOP_OF_TEXT}; return y >= 0 && y < 760; }}")
    page.locator(".to-tree").click()
    expect(row).to_be_in_viewport()
    page.get_by_role("button", name="All figures").click()
    expect(page.locator(".facts", has_text="tool share").first).to_be_visible()


@pytest.mark.nightly
def test_an_address_of_a_view_that_is_gone_shows_the_tree_and_says_so(
    page: Page, coder: str
) -> None:
    """The address names a view, or a form of the graph, that only earlier releases had."""
    tabs = page.get_by_role("navigation", name="Views of the run")
    for gone in ("flame", "<img src=x onerror=alert(1)>", "x" * 3_000):
        page.goto(f"{coder}?view={quote(gone)}&step={1:016x}")
        said = page.locator(".bar-line .chip")
        expect(said).to_contain_text(f"There is no view {gone[:30]}")
        expect(said).to_contain_text("this is: Tree")
        expect(tabs.locator("[aria-current=true]")).to_have_text("Tree")
        expect(page.get_by_role("treegrid")).to_be_visible()
        expect(page.locator(".find")).to_be_visible()  # as with every tree
    assert faults(page) == []  # with the longest name
    page.get_by_role("button", name="Take it out of the address").click()
    expect(said).to_have_count(0)
    assert urlsplit(page.url).query == f"step={1:016x}"
    page.goto(f"{coder}?view=graph&graph=flow")
    expect(page.locator(".agent-box")).to_have_count(2)
    expect(page.locator(".graph-tools .chip")).to_contain_text("no view flow; this is: Agents")
    tabs.get_by_role("button", name="Transcript").click()
    expect(page.locator(".chip")).to_have_count(0)
    page.goto(f"{coder}?view=tree")
    expect(page.locator(".find")).to_be_visible()
    expect(page.locator(".chip")).to_have_count(0)


def test_the_graph_has_a_box_for_each_agent_and_fits(page: Page, coder: str) -> None:
    page.goto(f"{coder}?view=graph")
    boxes = page.locator(".agent-box")
    expect(boxes).to_have_count(2)
    expect(page.locator(".graph .edge")).to_have_count(1)
    expect(boxes.first.locator(".inner")).to_have_count(2)
    expect(boxes.last.locator(".faults")).to_have_text("✕ 1")
    inner = page.get_by_role("button", name="tool run_tests")
    expect(inner).to_contain_text(f"{TIMES}")
    inner.press("Enter")
    expect(page.locator(".step h2")).to_contain_text("run_tests")
    assert faults(page) == []
    drawing = page.locator(".graph svg")
    wide = box_of(drawing)["width"]
    page.get_by_role("button", name="Zoom in").click()
    assert box_of(drawing)["width"] > wide
    page.get_by_role("button", name="Fit").click()
    expect(page.locator(".beyond")).to_have_count(0)
    page.get_by_role("button", name="Each call").click()
    page.wait_for_url("**graph=calls*")
    expect(page.locator(".node")).to_have_count(2 * TIMES + 4)
