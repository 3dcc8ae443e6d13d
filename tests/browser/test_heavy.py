"""Huge runs (pictures, JSON, 100,000 spans): the page makes elements only for what is seen."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.heavy_run import FIELDS, TEXT, send_heavy_run
from tests.support.interception import intercept
from tests.support.outlines import Row, encode_outline

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Response
    from tests.conftest import RunningSpanloom

ROWS = ".grid .row"
MANY = 100_000
CALLS = 100
"""Number of rows per agent in a run with many agents, the agent included."""
FILLED_WHOLE = 12
"""Rows that one frame draws completely; the others get only their names."""
MOST_WORK_S = 2
"""Limit of an action's CPU time; a page that hangs works far longer. For a million spans: 20."""


@pytest.fixture(scope="module")
def heavy(service: RunningSpanloom) -> str:
    """The address of a run whose five steps have 7 MB in total."""
    return f"{service.api}/trajectories/{send_heavy_run(service)}"


class Work:
    """Measures the CPU time of the page's main thread; other processes do not change it."""

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._before = 0.0
        self.spent_s()

    def spent_s(self) -> float:
        """Return the CPU seconds since the previous call of this method."""
        told = self._session.send("Performance.getMetrics")["metrics"]
        now = next(float(one["value"]) for one in told if one["name"] == "TaskDuration")
        self._before, before = now, self._before
        return now - before


def open_step(page: Page, heavy: str, name: str) -> Locator:
    page.goto(heavy)
    page.locator(ROWS, has_text=name).first.click()
    step = page.locator(".step")
    expect(step.locator(".side").first).to_be_visible()
    return step


@pytest.mark.nightly
def test_a_run_opens_without_the_texts_of_its_steps(page: Page, heavy: str) -> None:
    answers: list[Response] = []

    def note(answer: Response) -> None:
        answers.append(answer)

    page.on("response", note)
    page.goto(heavy)
    expect(page.locator(f"{ROWS} .preview").last).to_contain_text("All work")
    page.wait_for_timeout(500)  # for any further requests
    asked = [one for one in answers if "/v1/" in one.url and "/changes" not in one.url]
    # the browser need not keep streamed bodies, which the page reads as they arrive
    read = [answer for answer in asked if not re.search("/steps/|/annotations$", answer.url)]
    told = {answer.url: len(answer.body()) for answer in read}
    assert any("/outline" in url for url in told)
    assert sum(told.values()) < 20_000 < len(TEXT), told


@pytest.mark.nightly
def test_pictures_and_sound_are_a_line_with_their_size(page: Page, heavy: str) -> None:
    step = open_step(page, heavy, "chat")
    lines = step.locator(".media figcaption")
    expect(lines).to_have_text(["image/png · 1.0 MB Show", "audio/wav · 1.0 MB"])
    page.locator(ROWS, has_text="screenshot").first.click()
    expect(step.locator("h2")).to_contain_text("screenshot")
    for tab in ("Messages", "JSON"):
        step.get_by_role("button", name=tab, exact=True).click()
        expect(lines).to_have_text(["image/png · 1.0 MB Show"] * 2)
        assert "iVBORw0KGgo" not in step.locator(".step-body").inner_text()
    assert page.locator("img").count() == 0, "nobody asked for it"


def test_json_of_many_fields_is_made_as_far_as_it_is_opened(page: Page, heavy: str) -> None:
    step = open_step(page, heavy, "wide")
    check_tabs(step)
    step.get_by_role("button", name=f"{FIELDS:,} fields").click()
    expect(step.locator(".leaf")).to_have_count(100)
    step.get_by_role("button", name=f"{FIELDS - 100:,} more").click()
    expect(step.locator(".leaf")).to_have_count(1_100)
    page.locator(ROWS, has_text="square").first.click()
    expect(step.locator("h2")).to_contain_text("square")
    check_tabs(step)
    step.get_by_role("button", name="row 42").click()
    expect(step.locator(".inside .leaf")).to_have_count(100)


def check_tabs(step: Locator) -> None:
    """Check that a step has branches and few elements as messages, raw attributes and JSON."""
    for tab in ("Messages", "Raw", "JSON"):
        step.get_by_role("button", name=tab, exact=True).click()
        expect(step.locator(".branch > button").first).to_be_visible()
        assert step.locator("*").count() < 2_000


def open_many(page: Page, heavy: str, many: int) -> Locator:
    """Open a run of many agents with a hundred rows each; return its tree."""
    rows = [Row(0, "agent", "all", 0, many)]
    for at in range(1, many):
        is_agent = at % CALLS == 1
        row = Row(1 if is_agent else 2, "agent" if is_agent else "tool", f"n{at % CALLS}", at, 1)
        rows.append(row._replace(flags=int(at == many - 7)))
    body = encode_outline(rows)
    intercept(page, "*/v1/*/outline*", lambda held: held.fulfill(body=body))
    page.goto(heavy)
    grid = page.get_by_role("treegrid", name="Steps")
    expect(grid).to_have_attribute("aria-rowcount", f"{many + 1}")
    return grid


@pytest.mark.nightly
@pytest.mark.parametrize("many", [MANY, pytest.param(10 * MANY, marks=pytest.mark.slow)])
def test_a_hundred_thousand_spans_are_a_screen_of_rows(page: Page, heavy: str, many: int) -> None:
    """The outline is synthetic; tests and benchmarks of the service cover how it makes outlines."""
    most_work_s = MOST_WORK_S * many / MANY
    grid = open_many(page, heavy, many)
    assert page.locator("text=/too (many|large|long)|truncat/i").count() == 0
    grid.focus()
    work = Work(page)
    counts = {"-": many // CALLS + 2, "+": many + 1, "End": many + 1, "Home": many + 1}
    for key, count in counts.items():
        page.keyboard.press(key)
        expect(grid).to_have_attribute("aria-rowcount", str(count))
        assert work.spent_s() < most_work_s
        assert page.locator(ROWS).count() < 100
    page.keyboard.press("e")
    expect(grid.locator(".row.on.err")).to_have_attribute("aria-rowindex", f"{many - 7 + 2}")
    page.get_by_label("Search steps").fill("n42")
    expect(page.locator(".find [role=status]")).to_have_text(
        re.compile(rf"^{f'{many // CALLS:,}'[:-1]}\d hits$")  # in names and in some texts
    )
    assert work.spent_s() < most_work_s


FRAMES_OF_A_JUMP = """async () => {
  const grid = document.querySelector(".grid");
  grid.scrollTop = 1_000_000;
  const frames = [];
  for (let isBrief = true; isBrief || frames.length < 10; ) {
    await new Promise(requestAnimationFrame);
    const rows = [...grid.querySelectorAll(".rows > .row")].map((row) => [
      Number(row.ariaRowIndex) - 2,
      row.querySelector(".label").textContent,
      row.classList.contains("brief"),
    ]);
    frames.push({top: Math.floor(grid.scrollTop / 26), rows: rows.sort((a, b) => a[0] - b[0])});
    isBrief = frames.length < 200 && rows.some((row) => row[2]);
  }
  return frames;
}"""


@pytest.mark.nightly
def test_a_frame_names_all_rows_and_fills_a_few_whole(page: Page, heavy: str) -> None:
    open_many(page, heavy, 10 * CALLS * CALLS)
    frames = page.evaluate(FRAMES_OF_A_JUMP)
    left = []
    for frame in frames:
        brief = [at for at, _, is_brief in frame["rows"] if is_brief]
        assert all(name == f"n{at % CALLS}" for at, name, _ in frame["rows"] if at)
        left.append(len(brief))
        if 0 < len(brief) < len(frame["rows"]):
            assert frame["top"] not in brief, "what is in sight goes first"
    most = max(before - after for before, after in pairwise(left))
    assert 0 < most <= FILLED_WHOLE
    assert max(left) > 2 * FILLED_WHOLE
    assert left[-1] == 0
