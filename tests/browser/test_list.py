"""The list of runs, in a real browser with a running service."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

import httpx
import pytest
from playwright.sync_api import expect
from tests.support.axe import moderate
from tests.support.browser import wait_until
from tests.support.page_runs import PageRuns, send_many, send_page_runs, start_quick
from tests.support.qualities import faults

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

ROWS = "table.runs tbody tr"
LINKS = "td.c-name a"


@pytest.fixture(scope="module")
def service(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    """A service of its own, because its runs are counted."""
    return start_quick(start_shared_spanloom)


@pytest.fixture(scope="module")
def runs(service: RunningSpanloom) -> PageRuns:
    return send_page_runs(service)


def query_of(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def test_every_run_is_a_row_and_leads_to_its_page(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    page.goto(service.api)
    expect(page.locator(ROWS)).to_have_count(3)
    expect(page.locator(".counts")).to_have_text("3 runs")
    failing = page.get_by_role("link", name="forecaster")
    expect(failing).to_have_attribute("href", f"/trajectories/{runs.failing}")


def test_a_count_of_errors_leads_to_the_first_of_them(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    page.goto(service.api)
    run = page.locator(ROWS, has=page.locator(f"{LINKS}[href*='{runs.failing}']"))
    run.get_by_role("link", name="✕ 3").click()
    expect(page.locator(".grid .row.on.err .label")).to_have_text("weather")
    expect(page.locator(".step .error")).to_contain_text("429 slow down")
    page.wait_for_url("**step=0000000000000003*")


@pytest.mark.usefixtures("runs")
def test_columns_sort_by_what_they_show_and_the_address_says_so(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(service.api)
    head = page.get_by_role("columnheader", name="in", exact=True)
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    wait_until(page, lambda: query_of(page) == {"order": "-input_tokens"})
    expect(page.locator("td.c-input").first).to_have_attribute("title", "1,529")
    shown = [cell.get_attribute("title") or "0" for cell in page.locator("td.c-input").all()]
    figures = [int(one.replace(",", "")) for one in shown]
    assert figures == sorted(figures, reverse=True)
    page.go_back()
    expect(head).to_have_attribute("aria-sort", "none")
    page.get_by_role("columnheader", name="errors").get_by_role("button").click()
    wait_until(page, lambda: query_of(page) == {"order": "-failures"})
    expect(page.locator("td.c-errors").first).to_have_text("✕ 3")


@pytest.mark.usefixtures("runs")
def test_a_question_is_text_chips_and_address_at_once(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    text = 'agent = "forecaster" and tool_steps >= 3'
    page.get_by_label("Which runs").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator(ROWS)).to_have_count(1)
    wait_until(page, lambda: query_of(page) == {"where": text})
    expect(page.locator(".chip code")).to_have_text(['agent = "forecaster"', "tool_steps >= 3"])
    page.get_by_role("button", name='Take out agent = "forecaster"').click()
    expect(page.get_by_label("Which runs")).to_have_value("tool_steps >= 3")
    page.goto(f"{service.api}/?where={quote('tool_steps > 1000')}")
    expect(page.get_by_role("heading", name="No run is like that")).to_be_visible()
    page.get_by_role("button", name="without tool_steps > 1000").click()
    expect(page.locator(ROWS)).to_have_count(3)


@pytest.mark.usefixtures("runs")
def test_a_wrong_question_is_told_with_its_place_and_mended(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(f"{service.api}/?where={quote('durtion > 0ms')}")
    expect(page.locator(".fault mark")).to_have_text("durtion")
    page.get_by_role("button", name="duration?").click()
    expect(page.locator(ROWS)).to_have_count(3)
    expect(page.locator(".fault mark")).to_have_count(0)


@pytest.mark.usefixtures("runs")
def test_a_condition_is_made_of_three_choices(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    page.get_by_role("button", name="+ Filter").click()
    page.get_by_label("Field").select_option("agent")
    page.get_by_label("Value").fill("weatherman")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".chip code")).to_have_text(['agent = "weatherman"'])
    expect(page.locator(ROWS)).to_have_count(1)


@pytest.mark.usefixtures("runs")
def test_without_a_network_the_rows_stay_and_it_asks_again_by_itself(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(service.api)
    expect(page.locator(ROWS).nth(2)).to_be_visible()
    before = page.locator(ROWS).count()
    page.context.set_offline(True)
    page.get_by_label("Which runs").fill('agent = "weatherman"')
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="The service does not answer")).to_be_visible()
    expect(page.locator(ROWS)).to_have_count(before)
    page.context.set_offline(False)
    expect(page.get_by_role("heading", name="The service does not answer")).to_have_count(0)
    expect(page.locator(ROWS)).not_to_have_count(before)


def test_keys_move_select_and_open_and_the_help_tells_of_them_before(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    page.goto(service.api)
    expect(page.locator(ROWS)).to_have_count(3)
    page.keyboard.press("?")
    expect(page.locator("dl.keys").get_by_text("D", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("j")
    expect(page.locator(f"{ROWS}.active")).to_be_focused()
    page.keyboard.press("x")
    page.keyboard.press("k")
    page.keyboard.press("x")
    expect(page.locator(".selection")).to_contain_text("2 selected")
    compare = page.get_by_role("link", name="Compare").get_attribute("href") or ""
    assert set(re.findall(r"[0-9a-f]{32}", compare)) <= set(runs)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("select")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.get_by_label("Which runs")).to_be_focused()
    page.keyboard.type("jx")
    expect(page.get_by_label("Which runs")).to_have_value("jx")


@pytest.mark.usefixtures("runs")
def test_another_filter_unticks_and_outcomes_are_chosen_from_a_list(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(service.api)
    expect(page.locator(ROWS)).to_have_count(3)
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator(".selection")).to_contain_text("1 selected")
    page.locator(ROWS).first.get_by_role("link").first.click()
    page.go_back()
    expect(page.locator(".selection")).to_contain_text("1 selected")
    whole = page.get_by_role("checkbox", name="Select all on this page")
    for said in ("3 selected", "", "3 selected"):
        whole.click()
        expect(page.locator(".selection")).to_have_count(1 if said else 0)
        if said:
            expect(page.locator(".selection")).to_contain_text(said)
    page.get_by_role("button", name="+ Filter").click()
    page.get_by_label("Value").select_option("failed")
    page.locator(".builder button.main").click()
    expect(page.locator(".chip")).to_contain_text("outcome = failed")
    expect(page.locator(".selection")).to_have_count(0)


@pytest.mark.usefixtures("runs")
def test_two_runs_are_compared_and_three_are_said_to_be_too_many(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(service.api)
    expect(page.locator(ROWS)).to_have_count(3)
    for press in ("j", "x", "j", "x"):
        page.keyboard.press(press)
    expect(page.get_by_role("link", name="Compare")).to_be_visible()
    for press in ("k", "k", "x"):
        page.keyboard.press(press)
    expect(page.locator(".selection")).to_contain_text("3 selected")
    compare = page.get_by_role("button", name="Compare")
    expect(compare).to_be_disabled()
    expect(compare).to_have_attribute("title", "Two runs are compared: select two")


@pytest.mark.usefixtures("runs")
def test_columns_and_views_are_chosen(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    page.get_by_role("button", name="Columns", exact=True).click()
    page.get_by_role("checkbox", name="spans").check()
    page.get_by_role("checkbox", name="cost").uncheck()
    expect(page.get_by_role("columnheader", name="spans")).to_be_visible()
    wait_until(page, lambda: "cost" not in query_of(page)["columns"].split(","))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Views", exact=True).click()
    page.get_by_label("Name of this view").fill("mine")
    page.get_by_role("button", name="Save for me").click()
    page.goto(service.api)
    page.get_by_role("button", name="Views", exact=True).click()
    page.get_by_role("button", name="mine", exact=True).click()
    expect(page.get_by_role("columnheader", name="spans")).to_be_visible()


@pytest.mark.usefixtures("runs")
def test_it_is_for_everybody(page: Page, service: RunningSpanloom) -> None:
    page.goto(f"{service.api}/?where={quote('steps >= 1 and spans >= 1')}")
    first = page.locator(ROWS).first
    expect(first.get_by_role("rowheader")).to_contain_text(first.locator("a").first.inner_text())
    assert faults(page) == []


def test_what_comes_in_is_counted_and_moves_nothing(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    page.goto(service.api)
    expect(page.locator(ROWS)).to_have_count(3)
    expect(page.locator(".dot.on")).to_be_visible()
    before = page.locator(ROWS).all_inner_texts()
    send_page_runs(service)
    expect(page.locator(".news")).to_contain_text("3 new")
    assert page.locator(ROWS).all_inner_texts() == before
    page.locator(".news").click()
    expect(page.locator(ROWS)).to_have_count(6)
    expect(page.locator(".news")).to_have_count(0)
    assert runs


@pytest.mark.nightly
def test_what_comes_in_is_counted_by_the_filter(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    wanted = quote('agent = "weatherman" or agent = "nobody"')
    page.goto(f"{service.api}/?where={wanted}")
    expect(page.locator(ROWS).first).to_be_visible()
    expect(page.locator(".dot.on")).to_be_visible()
    send_page_runs(service)
    expect(page.locator(".news")).to_have_text("1 new ↑")
    page.locator(".news").click()
    expect(page.locator(".news")).to_have_count(0)
    assert runs


@pytest.fixture(scope="module")
def more_than_a_page(service: RunningSpanloom, runs: PageRuns) -> None:
    """Send more runs than one page of the list shows."""
    assert runs
    send_many(service, 50)


@pytest.mark.usefixtures("more_than_a_page")
def test_pages_go_on_by_cursor_and_back(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    expect(page.locator(ROWS)).to_have_count(50)
    first = page.locator(LINKS).first.get_attribute("href")
    page.get_by_role("button", name="Older").click()
    expect(page.locator(".pager")).to_contain_text("51\u2013")
    assert page.locator(LINKS).first.get_attribute("href") != first
    page.get_by_role("button", name="Newer").click()
    expect(page.locator(".pager")).to_contain_text("1\u201350")


@pytest.mark.nightly
@pytest.mark.usefixtures("more_than_a_page")
def test_the_run_behind_the_last_of_a_page_is_a_key_away(
    page: Page, service: RunningSpanloom
) -> None:
    asked = "/v1/trajectories?order=-spans&limit=60&fields=trace_id"
    ids = [one["trace_id"] for one in httpx.get(service.api + asked).json()["items"]]
    page.goto(f"{service.api}/?order=-spans")
    expect(page.locator(ROWS)).to_have_count(50)
    page.route("**/v1/trajectories?*cursor=*", lambda route: route.abort())
    page.locator(LINKS).last.click()
    expect(page.locator(".neighbours")).to_contain_text("50 of 50+")
    page.unroute("**/v1/trajectories?*cursor=*")
    page.keyboard.press("]")
    page.wait_for_url(f"**/{ids[50]}*")
    expect(page.locator(".neighbours")).to_contain_text("51 of ")
    page.keyboard.press("[")
    page.wait_for_url(f"**/{ids[49]}*")
    expect(page.get_by_label("next run of the list")).to_have_attribute("href", re.compile(ids[50]))


@pytest.mark.nightly
@pytest.mark.usefixtures("runs")
def test_what_can_be_ordered_by_is_called_as_its_column_is_in_chinese_too(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(service.api)
    choices = page.locator(".order option")
    expect(choices.nth(10)).to_be_attached()
    told = choices.all_inner_texts()
    assert {"started", "in", "out", "errors", "tool errors"} <= set(told)
    assert len(told) == len(set(told))
    page.locator(".order select").select_option("cost")
    page.get_by_role("button", name="Turn the order round").click()
    expect(page.get_by_role("columnheader", name="cost")).to_have_attribute(
        "aria-sort", "ascending"
    )
    page.get_by_role("button", name="中文").click()
    expect(choices.first).to_have_text("开始")
    assert not re.findall("[a-z]{2,}_|[a-z]{6,}", " ".join(choices.all_inner_texts()))
    expect(page.get_by_role("columnheader", name="时长")).to_be_visible()
    page.reload()
    expect(page.get_by_role("columnheader", name="时长")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "zh")


JSON = {"content-type": "application/json"}


def test_the_first_span_is_told_where_there_were_none(
    page: Page, start_spanloom: StartSpanloom
) -> None:
    service = start_quick(start_spanloom)
    page.goto(service.api)
    expect(page.locator(".first-span")).to_contain_text("Waiting")
    expect(page.get_by_role("tabpanel")).to_be_visible()
    send_many(service, 1)
    expect(page.locator(".first-span")).to_contain_text("The first span came at")
    page.get_by_role("button", name="Show its run").click()
    expect(page.locator(".runs tbody tr")).to_have_count(1)


def test_without_runs_it_says_how_to_send_some_and_with_keys_it_asks_for_one(
    page: Page, start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    locked = start_spanloom(data_dir=data)
    locked.wait_until_ready()
    page.goto(locked.api)
    expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
    ports = httpx.get(f"{locked.api}/v1/service").json()
    address = f"http://127.0.0.1:{ports['otlp_http_port']}"
    tab = page.get_by_role("tabpanel")
    expect(tab).to_contain_text(f"OTEL_EXPORTER_OTLP_ENDPOINT={address}\n")
    empty = page.locator("section.notice")
    expect(empty).to_contain_text(f"http://127.0.0.1:{ports['otlp_grpc_port']}")
    expect(empty).to_contain_text("Waiting for the first span")
    assert httpx.post(f"{address}/v1/traces", headers=JSON, content="{}").status_code == 200
    page.get_by_role("button", name="API key").click()
    expect(page.get_by_role("dialog")).to_contain_text("This service has no keys")
    expect(page.get_by_role("dialog").locator("code")).to_have_text("spanloom keys create")
    assert "`" not in page.locator("body").inner_text()
    page.keyboard.press("Escape")
    assert moderate(page) == []
    made = run_spanloom("keys", "create", "--project=p", "--scopes=read", f"--data-dir={data}")
    while httpx.get(f"{locked.api}/v1/trajectories").status_code != 401:
        time.sleep(0.1)  # a new key takes effect within a second
    page.goto(locked.api)
    field = page.get_by_role("dialog").get_by_label("Key")
    expect(field).to_be_visible()
    expect(page.get_by_role("dialog")).to_contain_text("This service has keys")
    field.fill(made.stdout.strip())
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
    assert made.stdout.strip() not in page.url
