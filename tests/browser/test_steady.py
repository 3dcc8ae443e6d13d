"""Nothing moves whichever row is chosen, the focus is framed, and a graph is shown whole."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Literal

import pytest
from playwright.sync_api import expect
from tests.support.annotated_page import WRITES, annotate, is_write, wait_saved
from tests.support.examples import some_every_day
from tests.support.qualities import faults
from tests.support.reused_page import remember

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom
    from tests.support.page_runs import PageRuns

PLACES = """() => [".bar-line", ".grid", ".annotate", ".options", ".step-head", ".step .tabs"]
  .map((what) => document.querySelector(what)?.getBoundingClientRect())
  .map((box) => box && [Math.round(box.top), Math.round(box.left)].join())"""
"""Returns the positions of the parts of the page."""
COLOURS = """async ([png, points]) => {
  const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes]));
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const at = ([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3).join(", ");
  return points.map((point) => `rgb(${at(point)})`);
}"""
SCHEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
ROWS = 6
"""Number of rows that are chosen in a window of each width."""
FRAME = "new Promise((then) => requestAnimationFrame(() => setTimeout(then, 100)))"
"""Resolves after the page has reacted to a frame in which the size of the window changed."""
ACCENT = """() => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = "var(--accent)";
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}"""


@pytest.mark.parametrize("query", some_every_day(["?annotate=step_evaluation", ""]))
def test_whatever_row_is_chosen_nothing_moves(
    page: Page, service: RunningSpanloom, runs: PageRuns, query: str
) -> None:
    remember(page, service.api, "annotator", "ada")
    for trace in (runs.team, runs.hostile):
        page.goto(f"{service.api}/trajectories/{trace}{query}")
        expect(page.locator(".step-head .facts div").first).to_be_visible()
        if query:
            expect(page.locator(".options")).to_be_visible()
        page.locator(".grid").focus()
        page.keyboard.press("Home")
        for at, width in enumerate((1440, 1024)):
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate(FRAME)
            check_rows(page, range(at * ROWS, (at + 1) * ROWS))


def check_rows(page: Page, rows: range) -> None:
    """Go through ``rows`` by arrow key, beginning at the chosen one; check that nothing moves."""
    seen = set()
    for row in rows:
        expect(page.locator(".grid .row.on")).to_have_attribute("aria-rowindex", str(row + 2))
        seen.add(str(page.evaluate(PLACES)))  # before and after its step is shown
        page.wait_for_timeout(120)
        expect(page.locator(".step-head .facts div").first).to_be_visible()
        seen.add(str(page.evaluate(PLACES)))
        page.keyboard.press("ArrowDown")
    assert len(seen) == 1, seen


@pytest.mark.nightly
def test_nothing_moves_while_what_was_said_waits(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    annotate(page, service, trace, "step_evaluation")
    for width in (1440, 1024):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(FRAME)
        seen = {str(page.evaluate(PLACES))}
        page.route(WRITES, lambda route: route.abort() if is_write(route) else route.continue_())
        page.keyboard.press("1")
        saved = page.locator(".annotate .saved")
        expect(saved).to_contain_text("does not answer")
        expect(saved).to_have_attribute("title", re.compile("kept in this browser"))
        seen.add(str(page.evaluate(PLACES)))
        page.unroute(WRITES)
        page.evaluate("dispatchEvent(new Event('online'))")
        wait_saved(page)
        seen.add(str(page.evaluate(PLACES)))
        assert len(seen) == 1, seen


def test_the_ring_of_the_rows_is_seen_on_all_sides(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    page.goto(f"{service.api}/trajectories/{runs.team}")
    expect(page.locator(".grid .row").nth(3)).to_be_visible()
    page.locator(".grid").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".step-head .facts div").first).to_be_visible()
    reader = page.context.new_page()
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        box = page.locator(".grid").bounding_box()
        assert box
        left, top = round(box["x"]), round(box["y"])
        right, bottom = round(left + box["width"]) - 1, round(top + box["height"]) - 1
        middle = ((left + right) // 2, (top + bottom) // 2)
        points = [(left, middle[1]), (right, middle[1]), (middle[0], top), (middle[0], bottom)]
        accent = page.evaluate(ACCENT)
        png = base64.b64encode(page.screenshot()).decode()
        assert reader.evaluate(COLOURS, [png, points]) == [accent] * 4


@pytest.mark.nightly
def test_a_graph_fits_and_where_it_cannot_it_says_where_there_is_more(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    page.goto(f"{service.api}/trajectories/{runs.team}?view=graph&graph=calls")
    expect(page.locator(".node")).to_have_count(17)
    expect(page.locator(".beyond")).to_have_count(0)
    assert page.evaluate(
        "() => { const g = document.querySelector('.graph');"
        " return g.scrollWidth <= g.clientWidth }"
    )
    page.set_viewport_size({"width": 1024, "height": 800})
    page.get_by_role("button", name="more to the right").click()
    expect(page.get_by_role("button", name="more to the left")).to_be_visible()
    expect(page.get_by_role("button", name="more to the right")).to_have_count(0)
    page.locator(".node").last.click()
    assert faults(page) == []
