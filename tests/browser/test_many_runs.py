"""Pages over many runs in a real browser: time range, overview, steps, conversations."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urlsplit

import httpx
import pytest
from playwright.sync_api import expect
from tests.support.browser import FRAME
from tests.support.interception import intercept
from tests.support.page_runs import start_quick
from tests.support.qualities import faults
from tests.support.team_runs import AGENTS, AGO_NS, HOUR, send_team

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page
    from tests.conftest import RunningSpanloom, StartSpanloom

ROWS = "table.runs tbody tr"
SHADED = """[...document.querySelectorAll(".runs td")]
  .filter((one) => /h[1-4]/.test(one.className)).map((one) => one.className.split(" ")[0])"""
ROUNDS = 5
ALL = ROUNDS * len(AGO_NS)
_IN_A_WEEK = [ago < 7 * 24 * HOUR for ago in AGO_NS * ROUNDS]
OF_A_WEEK, FAILED_IN_A_WEEK = sum(_IN_A_WEEK), sum(_IN_A_WEEK[::4])


@pytest.fixture(scope="module")
def service(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    """A service of its own, because its runs are counted."""
    running = start_quick(start_shared_spanloom)
    send_team(running, ROUNDS)
    return running


def stats(service: RunningSpanloom, **asked: str | int) -> list[dict[str, Any]]:
    answer = httpx.get(f"{service.api}/v1/stats", params=asked)
    answer.raise_for_status()
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def as_text(value: float) -> str:
    """Return a number as JavaScript writes it."""
    return str(int(value)) if value == int(value) else repr(value)


def query_of(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def go(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Sections").get_by_role("link", name=name).click()


@pytest.mark.nightly
def test_a_range_is_two_clicks_and_stays(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    expect(page.locator(".counts")).to_have_text(f"{ALL} runs")
    with page.expect_response("**/v1/stats?*interval=*"):
        page.get_by_role("button", name="7 d").click()
    expect(page.locator(".counts")).to_have_text(f"{OF_A_WEEK} runs")
    assert query_of(page)["since"] == "7d"
    page.evaluate(FRAME)
    chart = page.get_by_role("slider", name="Runs over time")
    chart.press("Home")
    chart.press("Shift+End")
    expect(page.locator(".histogram output")).to_contain_text(f"failed {FAILED_IN_A_WEEK}")
    page.locator(ROWS).first.get_by_role("link").first.click()
    page.wait_for_url("**/trajectories/**")
    page.go_back()
    expect(page.locator(".counts")).to_have_text(f"{OF_A_WEEK} runs")
    go(page, "Steps")
    expect(page.locator(".counts")).to_have_text(f"{OF_A_WEEK * 4} steps")


def test_a_part_of_the_histogram_is_zoomed_to(page: Page, service: RunningSpanloom) -> None:
    page.goto(f"{service.api}/?since=7d")
    chart = page.get_by_role("slider", name="Runs over time")
    chart.press("End")
    while "failed 0, others 0" in page.locator(".histogram output").inner_text():
        chart.press("ArrowLeft")
    chart.press("Enter")
    expect(page.locator(".counts")).to_have_text(re.compile(r"^(5|10) runs$"))
    asked = query_of(page)
    assert stats(service, since=asked["since"], until=asked["until"])[0]["count"] in (5, 10)
    page.go_back()
    expect(page.locator(".counts")).to_have_text(f"{OF_A_WEEK} runs")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z", "ends before it begins"),
        ("since=yesterdayish", "a time that is none"),
    ],
)
def test_a_range_that_is_none_says_so(
    asked: str, says: str, page: Page, service: RunningSpanloom
) -> None:
    for path in ("", "overview", "steps", "conversations"):
        page.goto(f"{service.api}/{path}?{asked}")
        expect(page.get_by_role("alert").filter(has_text=says)).to_be_visible()
    page.get_by_role("alert").get_by_role("button", name="All time").click()
    expect(page.locator(ROWS)).to_have_count(6)


def _values(table: Locator) -> list[list[float]]:
    rows = table.locator("tbody tr").all()
    return [
        [float(cell.get_attribute("data-value") or "nan") for cell in row.locator("td").all()]
        for row in rows
    ]


def test_the_overview_has_the_numbers_of_the_service(page: Page, service: RunningSpanloom) -> None:
    page.goto(f"{service.api}/overview?since=30d")
    tile = page.locator(".tiles dd")
    sums = "sum(cost),sum(input_tokens),sum(output_tokens)"
    metrics = f"count,rate(has_error),{sums},p50(duration),p95(duration)"
    (total,) = stats(service, metrics=metrics, since="30d")
    for at, value in enumerate(total.values()):
        expect(tile.nth(at)).to_have_attribute("data-value", as_text(value))
    assert page.get_by_role("img").count() == 4
    page.locator(".chart details summary").first.click()
    cells = page.locator(".chart").first.locator("tbody td")
    counted = [int(text) for text in cells.all_inner_texts() if text.isdigit()]
    assert sum(counted) == ALL


def test_the_dearest_agent_of_a_week_is_three_clicks_away(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(service.api)
    go(page, "Overview")
    page.get_by_role("button", name="7 d").click()
    dearest, *_ = stats(
        service, of="steps", by="owner", metrics="sum(cost),count", where="type = model", since="7d"
    )
    table = page.locator(".top-table", has=page.get_by_role("heading", name="Agents", exact=True))
    first = table.locator("tbody tr").first
    expect(first.locator("td").nth(1)).to_have_attribute("data-value", str(dearest["count"]))
    expect(first.locator("th")).to_have_text(str(dearest["owner"]))
    assert _values(table)[0][0] == pytest.approx(dearest["sum(cost)"])
    first.get_by_role("link").click()
    expect(page.locator(ROWS).first).to_contain_text(str(dearest["owner"]))
    asked = query_of(page)
    assert asked["since"] == "7d"
    (count,) = stats(service, where=asked["where"], since="7d")
    expect(page.locator(".counts")).to_have_text(f"{count['count']} runs")


@pytest.mark.nightly
def test_a_bar_opens_its_runs_and_rows_open_theirs(page: Page, service: RunningSpanloom) -> None:
    page.goto(f"{service.api}/overview?since=24h")
    chart = page.get_by_role("slider", name="Runs and failures")
    chart.press("End")
    while ": failed \u2013" in page.locator(".chart output").first.inner_text():
        chart.press("ArrowLeft")
    words = page.locator(".chart output").first.inner_text()
    n = sum(int(number) for number in re.findall(r"(?:failed|others) (\d+)", words))
    chart.press("Enter")
    expect(page.locator(".counts")).to_have_text(f"{n} runs")
    page.goto(f"{service.api}/overview?by=user")
    table = page.locator(
        ".top-table", has=page.get_by_role("combobox", name="Field that makes the groups")
    )
    releases = page.locator(".top-table", has=page.get_by_role("heading", name="Releases"))
    expect(releases.locator("tbody tr")).to_contain_text(["1.4.0"])
    row = table.locator("tbody tr", has_text="ada")
    n = int(row.locator("td").first.inner_text())
    row.get_by_role("link").click()
    expect(page.locator(".counts")).to_have_text(f"{n} runs")


def test_steps_of_all_runs_are_asked_selected_and_opened(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(service.api)
    go(page, "Steps")
    page.get_by_label("Which runs").fill("type = tool and error")
    page.keyboard.press("Enter")
    failed = -(-ALL // 4)
    expect(page.locator(".counts")).to_have_text(f"{failed} steps")
    expect(page.locator(ROWS)).to_have_count(failed)
    expect(page.locator(ROWS).first).to_contain_text("HTTP 429 quota exceeded")
    boxes = page.locator(f"{ROWS} input[type=checkbox]")
    boxes.nth(1).click()
    boxes.nth(4).click(modifiers=["Shift"])
    expect(page.locator(".selection")).to_contain_text("4 selected")
    page.get_by_role("button", name="Dataset…").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_label("Select all on this page").click()
    expect(page.locator(".selection")).to_contain_text(f"{failed} selected")
    page.locator(ROWS).first.get_by_role("link").click()
    expect(page.locator(".grid .row.on .label")).to_have_text(re.compile("fetch_page|run_tests"))


@pytest.mark.nightly
def test_heads_order_the_steps_of_all_runs(page: Page, service: RunningSpanloom) -> None:
    page.goto(f"{service.api}/steps?where=type+%3D+model")
    rows, head = page.locator(ROWS), page.get_by_role("columnheader", name="cost")
    expect(page.get_by_role("columnheader", name="started")).to_have_attribute(
        "aria-sort", "descending"
    )
    head.get_by_role("button").press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")
    costly = step_ids(service, where="type = model", order="-cost")
    expect(rows.first.get_by_role("link")).to_have_attribute("href", re.compile(costly[0]))
    assert query_of(page) == {"where": "type = model", "order": "-cost"}
    boxes = page.locator(f"{ROWS} input[type=checkbox]")
    boxes.first.click()
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(page.locator(".selection")).to_contain_text("1 selected")  # the query is the same
    assert query_of(page)["order"] == "cost"
    page.get_by_role("button", name="started").click()
    assert "order" not in query_of(page)
    page.go_back()
    expect(head).to_have_attribute("aria-sort", "ascending")
    page.goto(f"{service.api}/steps?order=-colour")
    expect(page.locator("section.notice")).to_contain_text("steps cannot be ordered by 'colour'")
    page.get_by_role("link", name="Begin afresh").click()
    expect(rows).to_have_count(50)


def step_ids(service: RunningSpanloom, **asked: str) -> list[str]:
    items = httpx.get(f"{service.api}/v1/steps", params=asked).json()["items"]
    return [item["step_id"] for item in items]


def test_what_is_wrong_with_a_question_for_steps_is_marked(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(f"{service.api}/steps?where=durtion+%3E+5s")
    page.get_by_role("button", name="duration?").click()
    expect(page.locator(".counts")).to_have_text(f"{ALL} steps")
    page.get_by_role("button", name="coder").first.click()
    expect(page.locator(".chip", has_text='agent = "coder"')).to_be_visible()


@pytest.mark.nightly
def test_conversations_are_found_by_one_click(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    go(page, "Conversations")
    expect(page.locator(ROWS)).to_have_count(6)
    newest = httpx.get(f"{service.api}/v1/conversations").json()["items"][0]
    row = page.locator(ROWS).first
    expect(row).to_contain_text(newest["conversation_id"])
    expect(row.locator("td").nth(3)).to_have_text(str(newest["runs"]))
    row.get_by_role("link").click()
    expect(page.get_by_role("row", name=re.compile(AGENTS[0])).first).to_be_visible()


@pytest.mark.parametrize(
    "path", ["overview?since=7d", "steps", "conversations", "?since=7d", "settings"]
)
def test_pages_are_right_for_every_reader(page: Page, service: RunningSpanloom, path: str) -> None:
    page.goto(f"{service.api}/{path}")
    expect(page.locator("tbody tr, .facts").first).to_be_visible()
    assert faults(page) == []


def offers(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Suggestions").get_by_role("option")


@pytest.mark.nightly
def test_a_question_is_suggested_while_it_is_written(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    box = page.get_by_role("combobox", name="Which runs")
    box.press_sequentially("dur")
    expect(offers(page).first).to_contain_text("duration")
    box.press("ArrowDown")
    box.press("Tab")
    expect(box).to_have_value("duration ")
    expect(offers(page).first).to_have_text("=")
    box.press("Escape")
    expect(offers(page)).to_have_count(0)
    box.fill("")
    box.press_sequentially("agent = ")
    expect(offers(page)).to_have_count(len(AGENTS))
    values = httpx.get(f"{service.api}/v1/fields/agent/values", params={"limit": 5}).json()["items"]
    expect(offers(page).first).to_contain_text(f"{values[0]['value']}")
    box.press("ArrowDown")
    box.press("Enter")
    expect(box).to_have_value(f'agent = "{values[0]["value"]}" ')
    box.press("Enter")
    expect(page.locator(".counts")).to_have_text(f"{values[0]['count']} runs")
    box.fill("")
    expect(offers(page).first).to_contain_text("agent =")  # a previous query


def test_no_choice_of_a_field_is_refused(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    page.get_by_role("button", name="+ Filter").click()
    fields = page.get_by_label("Field")
    expect(fields.locator("option").nth(20)).to_be_attached()
    for name in (
        "start",
        "duration",
        "cost",
        "has_error",
        "status",
        "metadata",
        "input",
        "score",
        "agent",
    ):
        with (
            page.expect_response(lambda found: "/v1/" in found.url)
            if name == "agent"
            else nullcontext()
        ):
            fields.select_option(name)
    # errors in the console fail the test


@pytest.mark.nightly
def test_a_key_is_made_shown_once_and_revoked(
    page: Page, start_shared_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    own = start_shared_spanloom(data_dir=tmp_path)  # a service that has a key requires keys
    own.wait_until_ready()
    page.goto(own.api)
    go(page, "Settings")
    expect(page.get_by_text("There are no keys")).to_be_visible()
    page.get_by_label("admin").check()
    page.get_by_role("button", name="Make a key").click()
    made = page.get_by_role("status").filter(has_text="not shown again").locator("code")
    headers = {"authorization": f"Bearer {made.inner_text()}"}
    assert httpx.get(f"{own.api}/v1/keys", headers=headers).status_code == 200
    page.on("dialog", lambda asked: asked.accept())
    page.evaluate("key => sessionStorage.setItem('spanloom.key', key)", made.inner_text())
    page.reload()
    expect(page.get_by_text("not shown again")).to_have_count(0)
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text(re.compile("revoked "))).to_be_visible()


@pytest.mark.nightly
def test_a_list_is_quiet_and_fits(page: Page, service: RunningSpanloom) -> None:
    """One column is shaded, days are separated, and a longer bar means more steps."""
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{service.api}/?order=-duration")
    rows = page.locator(ROWS)
    expect(rows.first).to_be_visible()
    assert page.evaluate("document.querySelector('.scroll').scrollWidth") <= 1280
    assert set(page.evaluate(SHADED)) <= {"c-duration"}
    expect(page.locator(".new-day")).to_have_count(0)
    page.get_by_role("columnheader", name="started").get_by_role("button").click()
    expect(page.locator(".new-day").first).to_be_visible()
    expect(rows.first.locator(".c-started")).to_have_attribute(
        "title", re.compile(r", \d+ (minutes|hours) ago$")
    )
    page.set_viewport_size({"width": 390, "height": 844})
    box = rows.first.bounding_box()
    assert box
    assert box["y"] <= 400


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("path", "told", "way"),
    [
        ("/steps?where=" + quote(f'name = "{"x" * 10_000}"'), "…", ""),
        ("/overview?where=gone_field", "gone_field", ""),
        ("/conversations?cursor=gone", "not one that this list gave", "Begin afresh"),
        ("/conversation?id=" + quote("\u202e<b>"), "no trajectory of conversation", "Begin afresh"),
        (f"/trajectories/{1:032x}?version=99", "the newest is 1", "Begin afresh"),
    ],
)
def test_a_stale_address_says_what_is_wrong_and_where_to_go(
    page: Page, service: RunningSpanloom, path: str, told: str, way: str
) -> None:
    page.goto(service.api + path)
    told_at = page.locator(".notice, .fault").filter(has_text=told).first
    expect(told_at).to_be_visible()
    expect(page.locator("main, .nav").filter(has_text=way).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440
    if way == "Begin afresh":
        page.get_by_role("link", name=way).click()
        expect(page.locator(".notice")).to_have_count(0)
        expect(page.locator("main")).to_contain_text(re.compile("talk-|coder|planner|refunds"))


@pytest.mark.parametrize(
    ("status", "told"), [(429, "The service is busy"), (403, "This key may not")]
)
def test_a_refusal_is_a_sentence_and_a_way_on_on_every_page(
    page: Page, service: RunningSpanloom, status: int, told: str
) -> None:
    """Every page explains a proxy's rate limit (429) and a key that may only write (403)."""
    said = {"detail": "Not now."}
    let_through = intercept(page, "*/v1/*", lambda held: held.fulfill(status=status, json=said))
    for path in ("overview", "steps", "conversations", "settings"):
        page.goto(f"{service.api}/{path}")
        main = page.locator("main")
        if path != "settings":
            expect(main).to_contain_text(told)
        expect(main).to_contain_text("Not now.")
        name = "Try again" if status == 429 or path != "settings" else "API key"
        expect(main.get_by_role("button", name=name).first).to_be_visible()
    let_through()
