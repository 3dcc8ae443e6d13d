"""Annotating on the page, in a real browser over a real service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.annotated_page import (
    PANEL,
    ROWS,
    annotate,
    call,
    said_of,
    send_steps,
    step_id,
    wait_saved,
)
from tests.support.annotated_runs import SEED

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route
    from tests.conftest import RunningSpanloom, StartSpanloom

WRITES = "**/annotations?*"
WRONG = {"correctness": "incorrect", "error_type": "execution", "severity": "major"}


@pytest.fixture(scope="module")
def service(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    running = start_shared_spanloom(env={"SPANLOOM_ROOT_QUIET_S": "0.3"})
    running.wait_until_ready()
    call(running, "PUT", "/v1/schemes/step_evaluation", {"text": SEED})
    return running


@pytest.fixture(scope="module")
def trace(service: RunningSpanloom) -> str:
    """A run of three steps that tests annotate by names of their own."""
    return send_steps(service, range(2, 5))


def is_write(route: Route) -> bool:
    return route.request.method == "POST"


def act(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def figures(page: Page) -> str:
    return page.locator(f"{PANEL} .figures").inner_text().replace("\n", " ")


def test_fifty_steps_take_fifty_keys_and_open_nothing(page: Page, service: RunningSpanloom) -> None:
    trace = send_steps(service, range(2, 52), below=30)
    annotate(page, service, trace)
    rows = page.get_by_role("treegrid").get_attribute("aria-rowcount")
    act(page, *["1"] * 50)
    expect(page.locator(PANEL)).to_contain_text("50 of 50 judged")
    expect(page.locator(".more-asked")).to_have_count(0)
    assert page.get_by_role("treegrid").get_attribute("aria-rowcount") == rows
    wait_saved(page)
    assert {row["correctness"] for row in said_of(service, trace).values()} == {"correct"}
    assert len(said_of(service, trace)) == 50


def test_a_wrong_step_is_told_by_letters_and_undo_brings_all_back(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    annotate(page, service, trace, "step_evaluation")
    act(page, "1", "2")
    expect(page.locator(".more-asked")).to_be_focused()
    assert "100 / 100" in figures(page)
    assert "provisional: 1 unjudged, 1 without severity" in figures(page)
    act(page, "e", "w", "m")
    expect(page.locator(f"{PANEL} .score")).to_have_text("99 / 100")
    page.locator(PANEL).get_by_role("button", name="major").click()
    expect(page.locator(f"{PANEL} .score")).to_have_text("95 / 100")
    act(page, "r")
    page.keyboard.type("a more specific selector")
    act(page, "Escape", "1")
    expect(page.locator(f"{PANEL} .score")).to_have_text("100 / 100")
    act(page, "u")
    expect(page.locator(f"{PANEL} .score")).to_have_text("95 / 100")
    expect(page.locator(".rationale")).to_have_value("a more specific selector")
    wait_saved(page)
    row = said_of(service, trace)[step_id(3)]
    assert {name: row[name] for name in WRONG} == WRONG
    assert (row["error_subtype"], row["rationale"]) == ("wrong_tool", "a more specific selector")
    (score,) = call(service, "GET", f"/v1/trajectories/{trace}/annotations")["scores"]
    assert (score["score"], score["score_complete"]) == (95, False)


def test_the_branch_is_judged_at_once_and_undone_at_once(
    page: Page, service: RunningSpanloom
) -> None:
    trace = send_steps(service, range(2, 8), below=5)
    annotate(page, service, trace)
    act(page, "2")
    page.locator(f"{ROWS}.k-agent").last.click()
    act(page, "Shift+Digit1")
    expect(page.locator(PANEL)).to_contain_text("4 of 6 judged")
    wait_saved(page)
    assert {said_of(service, trace)[step_id(n)]["correctness"] for n in (5, 6, 7)} == {"correct"}
    act(page, "u")
    expect(page.locator(PANEL)).to_contain_text("1 of 6 judged")
    wait_saved(page)
    assert list(said_of(service, trace)) == [step_id(2)]
    act(page, "U")
    wait_saved(page)
    expect(page.locator(PANEL)).to_contain_text("4 of 6 judged")
    assert len(said_of(service, trace)) == 4


def test_letters_can_be_switched_off_and_the_help_tells_all_keys(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    annotate(page, service, trace)
    act(page, "?")
    dialog = page.get_by_role("dialog")
    for told in ("1 … 9", "⇧ 1 … 9", "n", "r", "u", "U", "Ctrl ⏎", "!"):
        expect(dialog.locator("kbd", has_text=told).first).to_be_visible()
    dialog.get_by_role("checkbox").uncheck()
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("treegrid").focus()
    act(page, "1", "Shift+Digit1")
    expect(page.locator(PANEL)).to_contain_text("0 of 3 judged")


def test_what_was_not_stored_waits_in_the_browser(page: Page, service: RunningSpanloom) -> None:
    trace = send_steps(service, range(2, 5))
    first = page.context.new_page()
    page.context.route(
        WRITES, lambda route: route.abort() if is_write(route) else route.continue_()
    )
    annotate(first, service, trace)
    act(first, "1", "2", "a")
    saved = first.locator(f"{PANEL} .saved")
    expect(saved).to_contain_text("2 waiting")
    expect(saved).to_contain_text("does not answer")
    assert said_of(service, trace) == {}
    first.close()  # which sends them once more, past the route
    annotate(page, service, trace, is_saved=False)
    expect(page.locator(f"{PANEL} .saved")).to_contain_text("2 waiting")
    expect(page.locator(PANEL)).to_contain_text("2 of 3 judged")
    page.context.unroute(WRITES)
    page.evaluate("dispatchEvent(new Event('online'))")
    wait_saved(page)
    rows = said_of(service, trace)
    assert {row["revision"] for row in rows.values()} == {1}
    assert rows[step_id(3)]["severity"] == "major"


def test_two_windows_lose_nothing_and_ask_only_for_the_same_field(
    page: Page, service: RunningSpanloom
) -> None:
    trace = send_steps(service, range(2, 5))
    annotate(page, service, trace)
    other = page.context.new_page()
    annotate(other, service, trace)
    act(page, "2", "m")
    wait_saved(page)
    act(other, "2", "e")
    wait_saved(other)
    row = said_of(service, trace)[step_id(2)]
    assert (row["correctness"], row["error_type"], row["severity"]) == (
        "incorrect",
        "execution",
        "minor",
    )
    act(page, "r")
    page.keyboard.type("here")
    wait_saved(page)
    other.locator(".rationale").fill("there")
    clash = other.locator(".clash")
    expect(clash).to_contain_text("rationale")
    expect(clash.locator("td")).to_have_text(["there", "here"])
    clash.get_by_role("button", name="What I say here").click()
    expect(clash).to_have_count(0)
    wait_saved(other)
    row = said_of(service, trace)[step_id(2)]
    assert (row["rationale"], row["severity"]) == ("there", "minor")
    other.close()
