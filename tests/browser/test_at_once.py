"""Input works as soon as an element is seen, and late answers are not shown in other places.

The page draws first and completes the rest after the frame; the service answers even later. Each
test acts in between, as people do on a busy machine or far from the service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.annotated_page import (
    PANEL,
    ROWS,
    call,
    send_steps,
    step_id,
    wait_saved,
)
from tests.support.annotated_runs import SEED
from tests.support.browser import FRAME, wait_until
from tests.support.interception import Held, intercept
from tests.support.page_runs import wait_for
from tests.support.reused_page import remember

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom

IN_ONE_MOMENT = """async () => {
  const drawn = async () => { for (let at = 0; at < 50; at++) await null; }; // and no frame shown
  const press = (key) => document.body.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true }));
  %s
}"""
WHEN_SEEN = """new MutationObserver((_, all) => {
  const seen = document.querySelector("%s");
  if (!seen) return;
  all.disconnect();
  %s;
}).observe(document, { childList: true, subtree: true });"""
"""Runs the second ``%s`` before the browser shows the frame in which the element first appears."""


@pytest.mark.usefixtures("trace")
def test_a_dialog_is_open_before_the_next_key_and_a_menu_closes_by_it(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(service.api)
    expect(page.locator("header.top")).to_be_visible()
    act = "press('?'); await drawn(); return document.querySelector('dialog[open]') !== null"
    assert page.evaluate(IN_ONE_MOMENT % act)
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    button = page.get_by_role("button", name="Columns", exact=True)
    expect(button).to_be_visible()
    act = """document.querySelector(".menu button").click(); await drawn();
      const was = document.querySelector(".sheet"); press("Escape"); await drawn();
      return [was !== null, document.querySelector(".sheet")]"""
    assert page.evaluate(IN_ONE_MOMENT % act) == [True, None]


def test_help_that_is_opened_right_after_it_was_closed_stays(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(service.api)
    expect(page.locator("header.top")).to_be_visible()
    act = """press('?'); await drawn(); document.querySelector('dialog[open]').requestClose();
      await drawn(); press('?'); await drawn(); await new Promise((then) => setTimeout(then, 100));
      return document.querySelector('dialog[open]') !== null"""
    assert page.evaluate(IN_ONE_MOMENT % act)


def test_who_changes_their_name_may_type_at_once(page: Page, service: RunningSpanloom) -> None:
    remember(page, service.api, "annotator", "ada")
    page.goto(f"{service.api}/queues")
    expect(page.locator(".who")).to_contain_text("ada")
    act = """document.querySelector(".who button").click(); await drawn();
      return document.activeElement.name"""
    assert page.evaluate(IN_ONE_MOMENT % act) == "name"


@pytest.mark.usefixtures("trace")
def test_what_is_typed_while_the_page_begins_stays(page: Page, service: RunningSpanloom) -> None:
    typed = "seen.value = 'is:error'; seen.dispatchEvent(new Event('input', { bubbles: true }))"
    page.add_init_script(WHEN_SEEN % ("#where", typed))
    page.goto(service.api)
    expect(page.locator("table.runs tbody tr").first).to_be_visible()
    page.evaluate(FRAME)
    expect(page.get_by_label("Which runs")).to_have_value("is:error")


def test_a_run_that_is_opened_at_once_has_its_neighbours(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    kept = "window.kept = sessionStorage.getItem('spanloom.list')"
    page.add_init_script(WHEN_SEEN % ("table.runs tbody tr", kept))
    page.goto(f'{service.api}/?where=trace_id = "{trace}"')
    expect(page.locator("table.runs tbody tr").first).to_be_visible()
    assert trace in str(page.evaluate("window.kept"))


def test_a_step_is_judged_the_moment_the_panel_is_there(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    remember(page, service.api, "annotator", "ada")
    press = "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true }))"
    page.add_init_script(WHEN_SEEN % (".annotate .figures", press))
    page.goto(f"{service.api}/trajectories/{trace}?annotate=potato")
    expect(page.locator(PANEL)).to_contain_text("1 of 3 judged")


def test_annotations_read_before_a_write_do_not_hide_it(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    remember(page, service.api, "annotator", "ada")
    held = hold(page, "*/annotations?project=*&scheme=*")
    page.goto(f"{service.api}/trajectories/{trace}?annotate=potato")
    wait_until_asked(page, held, 1)
    earlier = held[0].fetch()
    choose(page, 0)
    page.keyboard.press("1")
    expect(page.locator(PANEL)).to_contain_text("1 of 3 judged")
    wait_saved(page)
    held[0].fulfill(response=earlier)
    wait_until_asked(page, held, 2)
    held[1].continue_()
    page.evaluate(FRAME)
    expect(page.locator(PANEL)).to_contain_text("1 of 3 judged")


@pytest.mark.nightly
def test_an_item_of_a_queue_is_done_the_moment_its_line_is_there(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    queue = {"scheme": "potato", "annotators": ["ada"], "trace_ids": [trace]}
    call(service, "PUT", "/v1/queues/hasty", queue)
    remember(page, service.api, "annotator", "ada")
    page.add_init_script(WHEN_SEEN % (".queue-bar button.main", "seen.click()"))
    page.goto(f"{service.api}/trajectories/{trace}?queue=hasty")
    expect(page.locator(".queue-bar")).to_contain_text("Nothing is left for you.")


def hold(page: Page, address: str) -> list[Held]:
    """Hold back requests to an address from now on; return the list that collects them."""
    held: list[Held] = []
    intercept(page, address, held.append)
    return held


def wait_until_asked(page: Page, held: list[Held], count: int) -> None:
    wait_until(page, lambda: len(held) >= count)


def answer_late(page: Page, held: Held) -> None:
    """Let a held answer arrive, and give the page time to show it."""
    held.fulfill(response=held.fetch())
    page.evaluate(FRAME)


def choose(page: Page, at: int) -> None:
    page.locator(f"{ROWS}.k-tool").nth(at).click()
    expect(page.locator(".step .ids")).to_contain_text(step_id(at + 2))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("tab", "asked"), [("Raw", "**/spans/*"), ("Parsing", "**/steps/*with=spans*")]
)
def test_what_comes_late_is_not_shown_of_the_next_step(
    page: Page, service: RunningSpanloom, trace: str, tab: str, asked: str
) -> None:
    page.goto(f"{service.api}/trajectories/{trace}")
    choose(page, 0)
    held = hold(page, asked)
    page.get_by_role("button", name=tab, exact=True).click()
    wait_until_asked(page, held, 1)
    choose(page, 1)
    wait_until_asked(page, held, 2)
    body = page.locator(".step-body")
    page.evaluate(FRAME)
    expect(body).to_have_text("…")  # no error that the first cannot be fetched
    held[1].continue_()
    expect(body).to_contain_text("question 3")
    answer_late(page, held[0])
    expect(body).to_contain_text("question 3")
    expect(body).not_to_contain_text("question 2")


@pytest.mark.nightly
def test_hits_of_the_question_before_are_none_of_the_next(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    page.goto(f"{service.api}/trajectories/{trace}")
    page.get_by_label("Search steps").fill("question")
    hits = page.locator(".find [role=status]")
    expect(hits).to_have_text("3 hits")
    act = """const script = document.querySelector("script[src$='/app.js']");
      const { view } = await import(script.src.replace("app.js", "run/state.js"));
      const there = view.peek();
      const [filter, given] = [there.filter, []];
      there.filter = (wanted) => {
        const found = [...wanted.found];
        given.push(found);
        filter.call(there, { ...wanted, found });
      };
      const box = document.querySelector(".find input");
      box.value = "no such thing";
      box.dispatchEvent(new Event("input", { bubbles: true }));
      await drawn();
      return given"""
    assert page.evaluate(IN_ONE_MOMENT % act) == [[]]
    expect(hits).to_have_text("0 hits")


@pytest.mark.nightly
def test_values_that_come_late_are_not_proposed_for_another_field(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    assert trace
    held = hold(page, "**/v1/fields/root_name/values*")
    page.goto(service.api)
    page.get_by_role("button", name="+ Filter").click()
    page.get_by_label("Field").select_option("root_name")
    wait_until_asked(page, held, 1)
    page.get_by_label("Field").select_option("agent")
    proposed = page.locator("#values option")
    expect(proposed).not_to_have_count(0)
    agents = proposed.evaluate_all("all => all.map((one) => one.value)")
    held[0].fulfill(json={"items": [{"value": "failed"}]})
    page.evaluate(FRAME)
    assert proposed.evaluate_all("all => all.map((one) => one.value)") == agents


def test_what_is_typed_or_selected_while_a_question_is_spelled_out_counts(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    assert trace
    held = hold(page, "**/v1/where*")
    page.goto(service.api)
    box = page.get_by_label("Which runs")
    box.fill("is:error")
    box.press("Enter")
    wait_until_asked(page, held, 1)
    box.fill("is:error and steps")
    held.pop().continue_()
    page.wait_for_url("**where=has_error")
    page.evaluate(FRAME)
    expect(box).to_have_value("is:error and steps")
    box.fill("is:error")
    box.press("Enter")
    wait_until_asked(page, held, 1)
    held.pop().continue_()
    expect(box).to_have_value("has_error")
    box.fill("")
    box.press("Enter")
    page.go_back()
    expect(box).to_have_value("has_error")
    box.fill("is:annotated")
    box.press("Enter")
    wait_until_asked(page, held, 1)
    box.select_text()
    held.pop().continue_()
    page.wait_for_url("**where=annotated")
    page.evaluate(FRAME)
    page.keyboard.type("agent:x")
    expect(box).to_have_value("agent:x")


def test_a_scheme_can_be_stored_though_its_first_words_are_checked_late(
    page: Page, service: RunningSpanloom
) -> None:
    held = hold(page, "**/v1/schemes/check*")
    page.goto(f"{service.api}/schemes")
    page.get_by_role("button", name="New scheme").click()
    field = page.get_by_label("YAML or JSON")
    for count, text in enumerate((SEED[:40], SEED), start=1):
        field.fill(text)
        wait_until_asked(page, held, count)
    held[1].continue_()
    store = page.get_by_role("button", name="Store step_evaluation")
    expect(store).to_be_enabled()
    answer_late(page, held[0])
    expect(store).to_be_enabled()


@pytest.mark.nightly
def test_what_an_earlier_version_added_is_not_told_of_a_later_one(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    said = {"write_id": "write-late", "step_id": step_id(2), "correctness": "correct"}
    path = f"/v1/trajectories/{trace}/annotations"
    call(service, "POST", path, {"scheme": "potato", "items": [said]})  # stores this version
    page.goto(f"{service.api}/trajectories/{trace}")
    expect(page.locator(ROWS).first).to_be_visible()
    held = hold(page, f"**/diff/{trace}*")
    answers = []
    for version, number in ((2, 7), (3, 8)):
        send_steps(service, [number], trace, is_waiting=False)
        wait_for(service.api, trace, version)
        wait_until_asked(page, held, version - 1)
        answers.append(held[-1].fetch())
    bar = page.locator(".newer-bar")
    held[1].fulfill(response=answers[1])
    expect(bar).to_contain_text("2 steps added")
    held[0].fulfill(response=answers[0])
    page.evaluate(FRAME)
    expect(bar).to_contain_text("2 steps added")
