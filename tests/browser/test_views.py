"""Views that a team shares and views that a browser stores: two people, two keys."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import expect
from tests.browser.conftest import new_context
from tests.support.away import AWAY, come_back, leave, prepare
from tests.support.axe import moderate
from tests.support.browser import Watch
from tests.support.interception import Held, intercept
from tests.support.page_runs import start_quick
from tests.support.reused_page import remember
from tests.support.team_runs import send_team

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page
    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

ROWS = "table.runs tbody tr"
OF_TEAM = ".sheet ul[aria-label='Of the team:'] li"
WEEK = {"where": "outcome = failed", "since": "7d"}
HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe \u0627\u0644\u0641\u0634\u0644"


@pytest.fixture(scope="module")
def service(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    """A service of its own, because its default views change what a page opens with."""
    running = start_quick(start_shared_spanloom)
    send_team(running, 1)
    return running


@pytest.fixture(autouse=True)
def no_views(service: RunningSpanloom) -> None:
    """Delete all views before each test."""
    for view in views(service):
        path = f"{service.api}/v1/views/{view['id']}"
        httpx.delete(path, params={"revision": view["revision"]}).raise_for_status()


def views(service: RunningSpanloom, **asked: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = httpx.get(f"{service.api}/v1/views", params=asked).json()["items"]
    return items


def make(service: RunningSpanloom, name: str, **more: object) -> dict[str, Any]:
    body = {"page": "runs", "name": name, "parameters": WEEK, **more}
    headers = {"x-spanloom-annotator": "ada"}
    answer = httpx.post(f"{service.api}/v1/views", json=body, headers=headers)
    answer.raise_for_status()
    made: dict[str, Any] = answer.json()
    return made


def choose(service: RunningSpanloom, view: dict[str, Any]) -> None:
    path = f"{service.api}/v1/views/{view['id']}/default"
    httpx.put(path, json={"default": True}).raise_for_status()


def name_oneself(page: Page, service: RunningSpanloom, name: str) -> None:
    remember(page, service.api, "annotator", name)


def menu(page: Page) -> Locator:
    """Open the menu of views, again if it is open, and return it."""
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Views", exact=True).click()
    return page.locator(".sheet", has=page.get_by_label("Name of this view"))


def press(page: Page, name: str) -> None:
    page.locator(".sheet").get_by_role("button", name=name, exact=True).click()


def query_of(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


@contextmanager
def colleague(browser: Browser, service: RunningSpanloom, name: str) -> Iterator[Page]:
    """Yield a page of another person, in a separate browser context."""
    context = new_context(browser)
    page = context.new_page()
    watch = Watch(page)
    name_oneself(page, service, name)
    yield page
    context.close()
    assert watch.faults == []


def test_a_colleague_sees_renames_and_deletes_what_another_saved(
    page: Page, browser: Browser, service: RunningSpanloom
) -> None:
    name_oneself(page, service, "ada")
    page.goto(f"{service.api}/?where=outcome+%3D+failed&since=7d")
    menu(page).get_by_label("Name of this view").fill("failures")
    press(page, "Save for the team")
    expect(page.locator(".sheet > [role=status]")).to_have_text("Saved.")
    with colleague(browser, service, "bo") as other:
        other.goto(service.api)
        expect(menu(other)).to_contain_text("ada")
        press(other, "failures")
        expect(other.locator(".chip[role=status]")).to_contain_text("View: failures")
        assert query_of(other) == WEEK
        menu(other)
        press(other, "More for failures")
        other.get_by_label("New name of failures").fill("of the week")
        press(other, "Rename")
        expect(other.get_by_role("button", name="of the week", exact=True)).to_be_visible()
        press(page, "More for failures")
        page.get_by_label("New name of failures").fill("errors")
        press(page, "Rename")
        expect(page.locator(".sheet li [role=alert]")).to_contain_text("bo has changed")
        expect(page.get_by_role("button", name="of the week", exact=True)).to_be_visible()
        expect(page.get_by_label("New name of of the week")).to_have_value("errors")
        press(page, "Rename")
        expect(
            page.locator(".sheet").get_by_role("button", name="errors", exact=True)
        ).to_be_visible()
        other.on("dialog", lambda asked: asked.accept())
        press(other, "Delete")
        expect(other.locator(".sheet li [role=alert]")).to_contain_text("ada has changed")
        expect(
            other.locator(".sheet").get_by_role("button", name="errors", exact=True)
        ).to_be_visible()
        press(other, "Delete")
        expect(other.locator(".sheet")).to_contain_text("None yet.")
    page.get_by_label("New name of errors").fill("kept")
    press(page, "Rename")
    expect(page.locator(".sheet li [role=alert]")).to_contain_text("may have been deleted")
    press(page, "Save it as a new one")
    expect(page.get_by_role("button", name="kept", exact=True)).to_be_visible()
    assert [(view["name"], view["parameters"]) for view in views(service)] == [("kept", WEEK)]


def test_a_page_opens_with_its_default_and_everything_is_a_click_away(
    page: Page, service: RunningSpanloom
) -> None:
    make(service, "failures")
    page.goto(service.api)
    expect(page.locator(ROWS).first).to_be_visible()
    every = page.locator(ROWS).count()
    menu(page)
    press(page, "More for failures")
    press(page, "Open the page with it")
    expect(page.locator(OF_TEAM).first).to_contain_text("default")
    page.goto(service.api)
    chip = page.locator(".chip[role=status]")
    expect(chip).to_contain_text("View: failures")
    assert query_of(page) == WEEK
    expect(page.locator(ROWS)).not_to_have_count(every)
    chip.get_by_role("button", name="Everything").click()
    expect(page.locator(ROWS)).to_have_count(every)
    page.locator(ROWS).first.locator("a").first.click()
    page.go_back()
    expect(page.locator(ROWS)).to_have_count(every)
    page.goto(f"{service.api}/?since=30d")
    expect(page.locator(ROWS).first).to_be_visible()
    assert query_of(page) == {"since": "30d"}
    menu(page)
    press(page, "More for failures")
    press(page, "No longer open the page with it")
    expect(page.locator(OF_TEAM).first).not_to_contain_text("default")
    page.goto(service.api)
    expect(page.locator(ROWS)).to_have_count(every)
    assert query_of(page) == {}


@pytest.mark.parametrize(
    ("path", "of", "parameters"),
    [
        ("/steps", "steps", {"where": "type = tool"}),
        ("/conversations", "conversations", {"since": "30d", "user": "u"}),
        ("/overview", "overview", {"since": "30d", "by": "release"}),
    ],
)
def test_every_page_over_runs_has_views_of_its_own(
    page: Page, service: RunningSpanloom, path: str, of: str, parameters: dict[str, str]
) -> None:
    view = make(service, "ours", page=of, parameters=parameters)
    make(service, "of runs")
    choose(service, view)
    page.goto(f"{service.api}{path}")
    expect(page.locator(".chip[role=status]")).to_contain_text("View: ours")
    assert query_of(page) == parameters
    sheet = menu(page)
    expect(page.locator(OF_TEAM).first).to_contain_text("ours")
    expect(sheet).not_to_contain_text("of runs")
    page.get_by_label("Name of this view").fill("mine")
    press(page, "Save for me")
    expect(page.get_by_role("button", name="mine", exact=True)).to_be_visible()
    assert moderate(page) == []


def test_a_view_of_steps_keeps_their_order(page: Page, service: RunningSpanloom) -> None:
    page.goto(f"{service.api}/steps?where=type+%3D+model&order=-duration")
    menu(page).get_by_label("Name of this view").fill("slow calls")
    press(page, "Save for the team")
    expect(page.locator(".sheet > [role=status]")).to_have_text("Saved.")
    page.goto(f"{service.api}/steps")
    menu(page)
    press(page, "slow calls")
    head = page.get_by_role("columnheader", name="duration")
    expect(head).to_have_attribute("aria-sort", "descending")
    assert query_of(page) == {"where": "type = model", "order": "-duration"}


def test_the_menu_closes_after_its_choice(page: Page, service: RunningSpanloom) -> None:
    """The menu closes for built-in and for saved views, and the focus returns to its button."""
    make(service, "ours", parameters={"where": "outcome = failed"})
    page.goto(service.api)
    for name in ("Failed", "ours", "Everything"):
        sheet = menu(page)
        sheet.get_by_role("button", name=name, exact=True).click()
        expect(sheet).to_be_hidden()
        expect(page.get_by_role("button", name="Views", exact=True)).to_be_focused()


def test_a_view_of_the_browser_is_kept_renamed_and_shared(
    page: Page, browser: Browser, service: RunningSpanloom
) -> None:
    page.goto(f"{service.api}/?where=outcome+%3D+failed&since=7d")
    menu(page).get_by_label("Name of this view").fill("mine")
    page.keyboard.press("Enter")
    press(page, "More for mine")
    page.get_by_label("New name of mine").fill("my own")
    press(page, "Rename")
    press(page, "More for my own")
    assert views(service) == []
    press(page, "Share with the team")
    expect(page.get_by_role("button", name="my own", exact=True)).to_have_count(2)
    with colleague(browser, service, "bo") as other:
        other.goto(service.api)
        menu(other)
        press(other, "my own")
        assert query_of(other) == WEEK
    page.goto(service.api)
    menu(page)
    page.get_by_role("button", name="More for my own").last.click()
    press(page, "Delete")
    expect(page.get_by_role("button", name="my own", exact=True)).to_have_count(1)


def test_a_view_that_cannot_be_used_says_why_and_what_to_do(
    page: Page, service: RunningSpanloom
) -> None:
    make(service, "gone", parameters={"columns": "started,colour,name"})
    kept = {"later": {"format": 2}, "old": "where=hue+%3D+1"}
    remember(page, service.api, "views", kept)
    page.goto(service.api)
    menu(page)
    press(page, "gone ⚠")
    expect(page.locator(".sheet")).to_contain_text("There is no column colour any more")
    press(page, "Open it all the same")
    expect(page.locator("table.runs th")).to_have_count(3)
    menu(page)
    press(page, "later ⚠")
    expect(page.locator(".sheet")).to_contain_text("A newer page saved it")
    expect(page.get_by_role("button", name="Open it all the same")).to_have_count(0)
    press(page, "old")
    expect(page.locator("#fault")).to_contain_text("no run field 'hue'")
    menu(page)
    press(page, "More for old")
    press(page, "Share with the team")
    expect(page.locator(".sheet li [role=alert]")).to_contain_text("no run field 'hue'")


@pytest.mark.nightly
def test_faults_that_the_service_finds_are_told_before_it_opens(
    page: Page, service: RunningSpanloom
) -> None:
    """The service reports a field that is gone, and a view that a newer Spanloom stored."""
    old = make(service, "old")
    choose(service, old)

    def answer(held: Held) -> None:
        told = held.fetch().json()
        fault = {"parameter": "where", "detail": "no run field 'hue' (at 0)"}
        told["items"] = [{**item, "faults": [fault]} for item in told["items"]]
        newer = {"parameter": "format", "detail": "a newer Spanloom stored it: upgrade"}
        told["items"].append({**old, "id": "f" * 16, "name": "newer", "faults": [newer]})
        held.fulfill(json=told)

    intercept(page, "*/v1/views?*", answer)
    page.goto(service.api)
    expect(page.locator(".chip[role=status]")).to_contain_text(
        "The default view old was not opened: no run field 'hue'"
    )
    assert query_of(page) == {}
    menu(page)
    press(page, "newer ⚠")
    expect(page.locator(".sheet")).to_contain_text("a newer Spanloom stored it")
    press(page, "old ⚠")
    press(page, "Open it all the same")
    assert query_of(page) == WEEK


@pytest.mark.nightly
def test_names_are_texts_of_bounded_length(page: Page, service: RunningSpanloom) -> None:
    page.goto(f"{service.api}/?since=7d")
    box = menu(page).get_by_label("Name of this view")
    for button in ("Save for me", "Save for the team"):
        box.fill("x" * 10_000)
        press(page, button)
        expect(page.locator(".sheet > [role=alert]")).to_have_text(
            "A name has up to 100 characters; this has 10,000."
        )
        expect(box).to_have_value("x" * 10_000)
    box.fill(HOSTILE)
    press(page, "Save for the team")
    expect(page.locator(".sheet")).to_contain_text("<img src=x onerror=alert(1)>⟨U+202E⟩gnp.exe")
    assert [view["name"] for view in views(service)] == [HOSTILE]
    assert moderate(page) == []


def test_nothing_typed_is_lost_while_the_service_is_away_or_refuses(
    page: Page, service: RunningSpanloom
) -> None:
    prepare(page)
    page.goto(f"{service.api}/?since=7d")
    expect(page.locator(ROWS).first).to_be_visible()
    box = menu(page).get_by_label("Name of this view")
    box.fill("the week")
    leave(page)
    press(page, "Save for the team")
    expect(page.locator(".sheet > [role=alert]")).to_contain_text(AWAY)
    page.keyboard.press("Escape")
    come_back(page)
    expect(menu(page).get_by_label("Name of this view")).to_have_value("the week")
    busy = {"detail": "Too many requests: try again in a minute."}
    intercept(page, "*/v1/views?*", lambda held: held.fulfill(status=429, json=busy))
    page.reload()
    sheet = menu(page)
    expect(page.locator(".sheet > [role=note]")).to_contain_text("Too many requests")
    expect(sheet.get_by_label("Name of this view")).to_have_value("the week")
    intercept(page, "*/v1/views", lambda held: held.fulfill(status=429, json=busy))
    press(page, "Save for the team")
    expect(page.locator(".sheet > [role=alert]")).to_contain_text("Too many requests")
    expect(sheet.get_by_label("Name of this view")).to_have_value("the week")
    press(page, "Keep it for me instead")
    expect(page.get_by_role("button", name="the week", exact=True)).to_be_visible()


@pytest.mark.nightly
def test_keys_open_the_views_of_their_project_and_say_what_they_may(
    page: Page,
    start_shared_spanloom: StartSpanloom,
    run_spanloom: RunSpanloom,
    tmp_path: Path,
) -> None:
    own = start_shared_spanloom(data_dir=tmp_path)
    own.wait_until_ready()

    def key(project: str, scopes: str) -> str:
        made = run_spanloom(
            "keys", "create", f"--project={project}", f"--scopes={scopes}", f"--data-dir={tmp_path}"
        )
        found = re.search(r"sl_[0-9a-f]{12}_[\w-]{43}", made.stdout)
        assert found, made.stderr
        return found[0]

    keys = {"mine": key("mine", "read,annotate"), "reads": key("mine", "read")}
    keys |= {"writes": key("mine", "annotate"), "theirs": key("theirs", "read,annotate")}

    def enter(name: str) -> None:
        page.evaluate("key => sessionStorage.setItem('spanloom.key', key)", keys[name])
        page.goto(f"{own.api}/?since=7d")
        expect(menu(page)).to_be_visible()

    page.goto(f"{own.api}/?since=7d")
    page.keyboard.press("Escape")
    enter("mine")
    page.get_by_label("Name of this view").fill("ours")
    press(page, "Save for the team")
    expect(page.get_by_role("button", name="ours", exact=True)).to_be_visible()
    enter("theirs")
    expect(page.locator(".sheet")).to_contain_text("None yet.")
    enter("reads")
    expect(page.get_by_role("button", name="ours", exact=True)).to_be_visible()
    page.get_by_label("Name of this view").fill("more")
    press(page, "Save for the team")
    expect(page.locator(".sheet > [role=alert]")).to_contain_text("annotate")
    expect(page.get_by_label("Name of this view")).to_have_value("more")
    enter("writes")
    expect(page.locator(".sheet > [role=note]")).to_contain_text("read")
    press(page, "Save for the team")
    expect(page.locator(".sheet > [role=status]")).to_have_text("Saved.")


@pytest.mark.parametrize(
    ("language", "label", "more"), [("en", "Views", "More for"), ("zh", "视图", "更多操作")]
)
def test_the_menu_is_for_everybody(
    page: Page, service: RunningSpanloom, language: str, label: str, more: str
) -> None:
    make(service, "a view with quite a long name that says what it is for, and more")
    remember(page, service.api, "language", language)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(f"{service.api}/?since=7d")
        page.get_by_role("button", name=label, exact=True).click()
        sheet = page.locator(".sheet")
        expect(sheet).to_contain_text("a view with quite a long name")  # a failure shows the menu
        sheet.get_by_role("button", name=re.compile(more)).click()
        expect(sheet.get_by_role("textbox")).to_have_count(2)
        box = sheet.bounding_box()
        assert box
        assert (box["x"] >= 0, box["x"] + box["width"] <= width) == (True, True)
        assert sheet.evaluate("sheet => sheet.scrollWidth <= sheet.clientWidth")
        assert moderate(page) == []
