"""The reader's position in a long run or list: neither clicks nor new data change it.

docs/viewer.md lists complaints about other viewers, and the tests for each of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.browser import wait_until
from tests.support.examples import some_every_day
from tests.support.interception import Held, intercept
from tests.support.long_runs import DEEP
from tests.support.page_runs import send_many
from tests.support.reused_page import remember

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page
    from tests.conftest import RunningSpanloom
    from tests.support.page_runs import PageRuns

SIGHT = """(sort) => [...document.querySelectorAll(`.${sort}`)].map((one) => {
  const { x, y, width, height } = one.getBoundingClientRect();
  return [one.id || one.innerText, x, y, width, height];
}).sort()"""
DRAWN_TO_FIT = """() => {
  const [flame, box] = [document.querySelector(".flame"), document.querySelector(".left")];
  const isInside = flame.getBoundingClientRect().right <= box.getBoundingClientRect().right;
  const isFilled = flame.clientWidth === box.clientWidth && box.scrollWidth <= box.clientWidth;
  return isInside && isFilled && flame.width === Math.round(flame.clientWidth * devicePixelRatio);
}"""
HEIGHT = "document.querySelector('.flame').getBoundingClientRect().height"
AS_HIGH_AS = f"wanted => Math.abs({HEIGHT} - wanted) <= 2"
AGENTS = 21
"""Number of agents of the run ``deep``, whose rows remain when all branches are closed."""


@pytest.fixture
def address(service: RunningSpanloom, deep: str) -> str:
    """The address of the page of a run of 2,000 steps."""
    return f"{service.api}/trajectories/{deep}"


def open_deep(page: Page, address: str) -> Locator:
    page.goto(address)
    expect(page.locator(".grid .row").first).to_be_visible()
    expect(page.locator(".run-head")).to_contain_text("50 %")
    page.keyboard.press("+")  # opens its folded equal calls
    grid = page.get_by_role("treegrid", name="Steps")
    expect(grid).to_have_attribute("aria-rowcount", str(DEEP + 1))
    return grid


def scrolled(grid: Locator, top: int) -> None:
    """Scroll to ``top``, and wait until rows are drawn there."""
    grid.evaluate("(one, top) => { one.scrollTop = top; }", top)
    expect(grid.locator(f".row[aria-rowindex='{top // 26 + 3}']")).to_be_visible()


@pytest.mark.nightly
def test_a_click_scrolls_nothing_and_moves_no_row(page: Page, address: str) -> None:
    grid = open_deep(page, address)
    scrolled(grid, 10_010)  # the first and the last row are half in sight
    box = grid.bounding_box()
    assert box
    before = page.evaluate(SIGHT, "grid .row")
    for y in (30, 200, box["height"] / 2, box["height"] - 4):
        page.mouse.click(box["x"] + 250, box["y"] + y)
        page.wait_for_timeout(300)  # until the chosen step is fetched and drawn
        expect(page.locator(".step h2")).to_be_visible()
        assert grid.evaluate("(one) => one.scrollTop") == 10_010
        assert page.evaluate(SIGHT, "grid .row") == before


@pytest.mark.nightly
def test_what_is_opened_or_closed_stays_under_the_pointer_and_a_key_does_all(
    page: Page, address: str
) -> None:
    grid = open_deep(page, address)
    scrolled(grid, 5_000)
    found = grid.locator(".row[aria-expanded=true]").nth(0)
    branch = grid.locator(f"#{found.get_attribute('id')}")
    twist = branch.locator(".twist")
    branch.scroll_into_view_if_needed()
    before = branch.bounding_box()
    for state in ("false", "true"):
        twist.click()
        expect(branch).to_have_attribute("aria-expanded", state)
        assert branch.bounding_box() == before
    grid.focus()
    page.keyboard.press("-")
    expect(grid).to_have_attribute("aria-rowcount", str(AGENTS + 1))
    expect(grid.locator(".row")).to_have_count(AGENTS)
    page.keyboard.press("+")
    expect(grid).to_have_attribute("aria-rowcount", str(DEEP + 1))


def test_the_head_of_a_run_fills_without_moving_the_rows(page: Page, address: str) -> None:
    waiting: list[Held] = []
    intercept(page, "*/v1/trajectories/*?texts=none", waiting.append)
    page.goto(address)
    expect(page.locator(".run-head")).to_contain_text("worker 0")
    expect(page.locator(".held dd").last).to_be_hidden()
    expect(page.locator(".grid .row").first).to_be_visible()
    before = page.evaluate(SIGHT, "grid .row")
    while waiting:
        waiting.pop().continue_()
    expect(page.locator(".run-head")).to_contain_text("0 % / 0.1 %")
    assert page.evaluate(SIGHT, "grid .row") == before


@pytest.mark.parametrize("width", some_every_day([1440, 390, 1024]))
def test_the_rows_of_a_run_come_where_they_stay(page: Page, address: str, width: int) -> None:
    """The rows do not move, although the list item, which fills the head, arrives late."""
    page.set_viewport_size({"width": width, "height": 900})
    let_through = intercept(page, "*/v1/trajectories?*", lambda _: None)
    with page.expect_response("**/outline*"):
        page.goto(address)
    page.wait_for_timeout(200)
    expect(page.locator(".grid .row")).to_have_count(0)
    let_through()
    expect(page.locator(".grid .row").first).to_be_visible()
    before = page.evaluate(SIGHT, "grid .row")
    expect(page.locator(".run-head")).to_contain_text("0 % / 0.1 %")
    assert page.evaluate(SIGHT, "grid .row") == before


@pytest.mark.nightly
def test_the_timeline_is_as_wide_as_its_box_at_any_size(page: Page, address: str) -> None:
    grid = open_deep(page, address)
    flame = page.locator(".flame")
    for width, height in ((1440, 900), (700, 900), (1920, 500), (320, 700), (1100, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(DRAWN_TO_FIT)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        box, rows = flame.bounding_box(), grid.bounding_box()
        assert box
        assert rows
        assert box["height"] <= 146 < rows["height"], "rows have most of the room"
    flame.hover()
    page.mouse.wheel(0, -600)
    page.set_viewport_size({"width": 900, "height": 800})
    page.wait_for_function(DRAWN_TO_FIT)


@pytest.mark.nightly
def test_the_timeline_is_made_higher_and_folded_away(page: Page, address: str) -> None:
    grid = open_deep(page, address)
    flame, edge = page.locator(".flame"), page.get_by_role("separator")

    before = page.evaluate(HEIGHT)
    box = edge.bounding_box()
    assert box
    page.mouse.move(box["x"] + 200, box["y"] + 4)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] - 11)
    page.mouse.up()
    page.wait_for_function(AS_HIGH_AS, arg=before - 15)
    edge.press("ArrowDown")
    page.wait_for_function(AS_HIGH_AS, arg=before)  # at most as high as its lanes
    edge.press("Enter")
    expect(flame).to_be_hidden()
    expect(edge).to_have_attribute("aria-valuenow", "0")
    page.reload()
    expect(grid.locator(".row").first).to_be_visible()
    expect(flame).to_be_hidden()
    edge.dblclick()
    expect(flame).to_be_visible()
    page.wait_for_function(AS_HIGH_AS, arg=before)


@pytest.mark.nightly
def test_keys_live_on_after_a_click_beside_the_rows(page: Page, address: str) -> None:
    open_deep(page, address)
    page.set_viewport_size({"width": 1000, "height": 800})
    page.wait_for_function(DRAWN_TO_FIT)
    row = page.locator(".grid .row.on")
    for at, what in enumerate(("flame", "strip")):
        page.locator(f".{what}").click(position={"x": 12, "y": 35})
        for number, key in enumerate(("ArrowDown", "j", "ArrowDown"), start=1):
            page.keyboard.press(key)
            expect(row).to_have_attribute("aria-rowindex", str(2 + 3 * at + number))


@pytest.mark.usefixtures("long_list")
def test_the_list_stays_where_it_is_when_runs_come(page: Page, service: RunningSpanloom) -> None:
    page.set_viewport_size({"width": 1440, "height": 500})
    page.goto(service.api)
    rows = page.locator("table.runs tbody tr")
    expect(rows.nth(39)).to_be_attached()
    expect(page.locator(".dot.on")).to_be_visible()
    for _ in range(20):
        page.keyboard.press("j")
    expect(page.locator("table.runs tr.active")).to_be_focused()
    before = page.evaluate(SIGHT, "runs tr")
    send_many(service, 2)
    expect(page.locator(".news")).to_contain_text("2 new")
    assert page.evaluate(SIGHT, "runs tr") == before
    expect(page.locator("table.runs tr.active")).to_be_focused()


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("late", ["fields", "views", "stats", "trajectories"])
def test_no_button_moves_when_an_answer_comes(
    page: Page, service: RunningSpanloom, late: str
) -> None:
    """If a button moved, a click could begin on it and end on another, without any effect."""
    held: list[Held] = []
    let_through = intercept(page, f"*/v1/{late}*", held.append)
    page.goto(service.api)
    buttons = page.locator(".tools").get_by_role("button", name=re.compile("^(Import|Views|Colu)"))
    expect(buttons).to_have_count(3)
    wait_until(page, lambda: bool(held))
    before = [button.bounding_box() for button in buttons.all()]
    for answer in held:
        answer.continue_()
    let_through()
    expect(page.locator("select").locator("option", has_text="tokens").first).to_be_attached()
    expect(page.locator("table.runs tbody tr").first).to_be_visible()
    assert [button.bounding_box() for button in buttons.all()] == before


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("menu", "address", "item"),
    [
        ("Views", "*/v1/views?*", {"id": "1", "parameters": {}, "faults": [], "owner": "a" * 24}),
        ("Into a queue", "*/v1/queues*", {}),
    ],
)
def test_no_button_of_a_menu_moves_when_an_answer_comes(
    page: Page, service: RunningSpanloom, menu: str, address: str, item: dict[str, object]
) -> None:
    """A list that arrives late appears below what the menu shows at once."""
    remember(page, service.api, "views", {"of this browser": "since=7d"})
    page.goto(f"{service.api}/?since=7d")
    expect(page.locator("table.runs tbody tr").first).to_be_visible()
    page.keyboard.press("x")
    held: list[Held] = []
    intercept(page, address, held.append)
    page.get_by_role("button", name=menu, exact=True).click()
    sheet = page.locator(".sheet")
    before = page.evaluate(SIGHT, "sheet button")
    assert before
    wait_until(page, lambda: bool(held))
    held[0].fulfill(json={"items": [{**item, "name": "comes late"}]})
    expect(sheet.get_by_role("button", name="comes late", exact=True)).to_be_visible()
    now = page.evaluate(SIGHT, "sheet button")
    assert [button for button in before if button not in now] == []


PRESSED = "run-head .title :is(button, a)"
VERSIONS = [{"version": version, "is_newest": version == 2, "stored_at": "0"} for version in (2, 1)]
SCORE = {"score_id": "1", "target": "trajectory", "name": "helpful", "author": "judge", "value": 1}
SCORE |= {"status": "ok", "label": "", "rationale": "", "evidence": [], "stale": False}
SCORE |= {"experiment": "", "rule_id": "", "step_id": "", "passed": True, "project": "default"}


@pytest.mark.parametrize(
    ("label", "address", "items"),
    [("v1 ▾", "*/versions*", VERSIONS), ("Scores 1 ▾", "*/v1/scores?*", [SCORE])],
)
def test_no_button_of_a_run_moves_when_an_answer_comes(
    page: Page, service: RunningSpanloom, runs: PageRuns, label: str, address: str, items: object
) -> None:
    held: list[Held] = []
    intercept(page, address, held.append)
    page.goto(f"{service.api}/trajectories/{runs.failing}")
    head = page.locator(".run-head")
    expect(head.get_by_role("link", name="Conversation")).to_be_visible()
    before = page.evaluate(SIGHT, PRESSED)
    assert len(before) > 1
    wait_until(page, lambda: bool(held))
    for answer in held:
        answer.fulfill(json={"items": items})
    expect(head.get_by_text(label)).to_be_visible()
    now = page.evaluate(SIGHT, PRESSED)
    assert [button for button in before if button not in now] == []


@pytest.mark.nightly
@pytest.mark.usefixtures("long_list")
def test_back_from_a_run_the_list_stands_where_it_was(page: Page, service: RunningSpanloom) -> None:
    page.set_viewport_size({"width": 1440, "height": 500})
    page.goto(f"{service.api}/?order=-spans")
    rows, box = page.locator("table.runs tbody tr"), page.locator(".scroll")
    expect(rows.nth(39)).to_be_attached()
    rows.nth(30).locator(".c-started").click()
    page.keyboard.press("x")
    link = rows.nth(30).locator(".c-name a")
    name = link.get_attribute("href")
    box.evaluate("one => { one.scrollTop = 705; }")
    link.hover()  # scrolls it into view if necessary
    place = box.evaluate("one => one.scrollTop")
    assert place > 0
    link.click()
    expect(page.locator(".run-head")).to_be_visible()
    page.go_back()
    active = page.locator("table.runs tr.active")
    expect(active.locator(".c-name a")).to_have_attribute("href", str(name))
    assert box.evaluate("one => one.scrollTop") == place
    expect(active).to_have_attribute("aria-selected", "true")
    expect(page.locator(".selection")).to_contain_text("1 selected")
