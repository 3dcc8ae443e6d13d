"""Annotating on the page, in a real browser with a running service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.annotated_page import (
    PANEL,
    ROWS,
    WRITES,
    WRONG,
    act,
    annotate,
    call,
    is_write,
    said_of,
    say_who_failed,
    send_steps,
    step_id,
    wait_saved,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom


@pytest.mark.nightly
def test_fifty_steps_take_fifty_keys_and_open_nothing(page: Page, service: RunningSpanloom) -> None:
    trace = send_steps(service, range(2, 52), below=30)
    annotate(page, service, trace)
    grid = page.get_by_role("treegrid")
    rows = grid.get_attribute("aria-rowcount") or ""
    act(page, *["1"] * 50)
    expect(page.locator(PANEL)).to_contain_text("50 of 50 judged")
    expect(page.locator(".more-asked")).to_have_count(0)
    expect(grid).to_have_attribute("aria-rowcount", rows)
    wait_saved(page)
    assert {row["correctness"] for row in said_of(service, trace).values()} == {"correct"}
    assert len(said_of(service, trace)) == 50


@pytest.mark.nightly
def test_a_wrong_step_is_told_by_letters_which_can_be_undone_and_switched_off(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    annotate(page, service, trace, "step_evaluation")
    act(page, "1", "2")
    expect(page.locator(".more-asked")).to_be_focused()
    figures = page.locator(f"{PANEL} .figures")
    expect(figures).to_contain_text("100 / 100")
    expect(figures).to_contain_text("provisional: 1 unjudged, 1 without severity")
    act(page, "e", "w", "m")
    expect(page.locator(f"{PANEL} .score")).to_have_text("Score 99 / 100")
    page.locator(PANEL).get_by_role("button", name="major").click()
    expect(page.locator(f"{PANEL} .score")).to_have_text("Score 95 / 100")
    act(page, "r")
    page.keyboard.type("a more specific selector")
    act(page, "Escape", "1")
    expect(page.locator(f"{PANEL} .score")).to_have_text("Score 100 / 100")
    act(page, "u")
    expect(page.locator(f"{PANEL} .score")).to_have_text("Score 95 / 100")
    expect(page.locator(".rationale")).to_have_value("a more specific selector")
    wait_saved(page)
    row = said_of(service, trace)[step_id(3)]
    assert {name: row[name] for name in WRONG} == WRONG
    assert (row["error_subtype"], row["rationale"]) == ("wrong_tool", "a more specific selector")
    (score,) = call(service, "GET", f"/v1/trajectories/{trace}/annotations")["scores"]
    assert (score["score"], score["score_complete"]) == (95, False)
    page.get_by_role("treegrid").focus()
    act(page, "?")
    dialog = page.get_by_role("dialog")
    own = ("1 … 9", "⇧ 1 … 9", "n", "r", "u", "U", "Ctrl ⏎", "!")
    for told in (*own, "*", "→ ←", "⇧ → ←", "Home End"):
        expect(dialog.locator("kbd", has_text=told).first).to_be_visible()
    dialog.get_by_role("checkbox").uncheck()
    dialog.get_by_role("button", name="Close").click()
    expect(page.locator(PANEL)).to_contain_text("2 of 3 judged")
    page.locator(f"{ROWS}.k-tool").last.click()
    page.get_by_role("treegrid").focus()
    act(page, "1", "Shift+Digit1")
    page.wait_for_timeout(300)  # the keys judge nothing more
    expect(page.locator(PANEL)).to_contain_text("2 of 3 judged")


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


def test_what_was_not_stored_waits_in_the_browser(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
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
    first.close()  # closing sends them again, outside the route
    annotate(page, service, trace, is_saved=False)
    expect(page.locator(f"{PANEL} .saved")).to_contain_text("2 waiting")
    expect(page.locator(PANEL)).to_contain_text("2 of 3 judged")
    page.context.unroute(WRITES)
    page.evaluate("dispatchEvent(new Event('online'))")
    wait_saved(page)
    rows = said_of(service, trace)
    assert {row["revision"] for row in rows.values()} == {1}
    assert rows[step_id(3)]["severity"] == "major"


@pytest.mark.nightly
def test_two_windows_lose_nothing_and_ask_only_for_the_same_field(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
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
    expect(clash).to_contain_text("why")
    expect(clash.locator("tbody td")).to_have_text(["there", "here"])
    clash.get_by_role("button", name="What I say here").click()
    expect(clash).to_have_count(0)
    wait_saved(other)
    row = said_of(service, trace)[step_id(2)]
    assert (row["rationale"], row["severity"]) == ("there", "minor")
    other.close()


@pytest.mark.nightly
def test_what_others_say_stands_in_the_tree_and_in_columns(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    path = f"/v1/trajectories/{trace}/annotations"
    for who, mark in (("bo", {"correctness": "correct"}), ("cleo", WRONG)):
        item = {"write_id": f"write-{who}", "step_id": step_id(2), **mark}
        call(service, "POST", path, {"scheme": "potato", "items": [item]}, who)
    judged = {"trace_id": trace, "target": "step", "step_id": step_id(2), "passed": False}
    score = {**judged, "name": "faithful", "source": "llm", "author": "judge", "value": 0.25}
    call(service, "POST", "/v1/scores", {"items": [score]})
    annotate(page, service, trace)
    marks = page.locator(f"{ROWS}.k-tool .marks").first
    expect(marks).to_contain_text(
        "not judged yet; bo: correct; cleo: incorrect, execution, major; judge: faithful 0.25"
    )
    expect(marks.locator(".machine")).to_have_count(1)
    people = page.get_by_role("region", name="What others say")
    expect(people.locator("thead th bdi")).to_have_text(["bo", "cleo"])
    expect(people).to_contain_text("execution")
    act(page, "1", "ArrowUp")
    expect(marks).to_contain_text("you: correct; bo")
    wait_saved(page)
    page.keyboard.press("a")
    expect(page.locator(PANEL)).to_have_count(0)
    for said in ("ada: correct", "bo: correct", "cleo: incorrect, execution, major", "judge"):
        expect(marks).to_contain_text(said)  # shown without the panel too, in any scheme
    call(
        service,
        "PUT",
        "/v1/queues/blind%20one",
        {
            "scheme": "potato",
            "annotators": ["ada", "bo"],
            "each": 2,
            "blind": True,
            "trace_ids": [trace],
        },
    )
    page.reload()
    expect(marks).to_have_text("ada: correct")
    page.keyboard.press("a")
    expect(page.locator(".withheld")).to_contain_text("2 withheld")
    expect(people).to_have_count(0)
    expect(marks).to_have_text("you: correct")


@pytest.mark.nightly
def test_a_blind_queue_that_is_finished_shows_what_it_withheld(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    item = {"write_id": "write-withheld", "step_id": step_id(2), **WRONG}
    path = f"/v1/trajectories/{trace}/annotations"
    call(service, "POST", path, {"scheme": "potato", "items": [item]}, "bo")
    queue = {"scheme": "potato", "annotators": ["ada", "bo"], "each": 2, "blind": True}
    call(service, "PUT", "/v1/queues/last", {**queue, "trace_ids": [trace]})
    annotate(page, service, trace, "potato&queue=last")
    bar = page.locator(".queue-bar")
    expect(bar).to_contain_text("item 1 of 1")
    expect(page.locator(".withheld")).to_contain_text("1 withheld")
    act(page, "1", "1", "1", "Control+Enter")
    expect(page.locator(f"{PANEL} [role=alert]")).to_contain_text("You have finished this queue.")
    expect(bar).to_contain_text("done ✓")
    expect(bar.get_by_role("button", name="Reopen")).to_be_visible()
    expect(page.locator(".withheld")).to_have_count(0)
    page.locator(ROWS).nth(1).click()
    expect(page.get_by_role("region", name="What others say")).to_contain_text("bo")


def test_on_a_phone_the_panel_comes_into_sight_when_it_is_opened(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{service.api}/trajectories/{trace}")
    page.get_by_role("button", name="Annotate").click()
    name = page.get_by_label("Your name")
    expect(name).to_be_in_viewport()
    expect(page.locator(PANEL)).to_be_in_viewport(ratio=1)
    name.fill("ada")
    page.locator(".name-form").get_by_role("button", name="Annotate").click()
    expect(page.locator(f"{PANEL} .option").first).to_be_in_viewport()
    expect(page.locator(f"{PANEL} .option").last).to_be_in_viewport()


def test_the_list_says_what_runs_were_given_numbers_first_and_no_answers(
    page: Page, service: RunningSpanloom, traces: list[str]
) -> None:
    said, other, blamed = traces.pop(), traces.pop(), traces.pop()
    item = {"write_id": "write-listed", "step_id": step_id(2), **WRONG}
    path = f"/v1/trajectories/{said}/annotations"
    call(service, "POST", path, {"scheme": "potato", "items": [item]}, "bo")
    score = {"trace_id": said, "name": "zeal", "source": "llm", "author": "judge", "value": 0.25}
    call(service, "POST", "/v1/scores", {"items": [score]})
    say_who_failed(service, blamed, step_id(2))
    judge = {"trace_id": blamed, "source": "llm", "author": "judge"}
    more = [{**judge, "name": "b", "value": 97.5}, {**judge, "name": "a", "value": "so-so"}]
    call(service, "POST", "/v1/scores", {"items": more})
    among = ", ".join(f"%22{trace}%22" for trace in (said, other, blamed))
    page.goto(f"{service.api}/?where=trace_id in ({among})&columns=name,score")
    rows = page.locator(".runs tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.filter(has=page.locator(".noted.on"))).to_have_count(2)
    for trace, shown, title in (
        (said, "95 +1", "potato: 95 (provisional) · bo\nzeal: 0.25 · judge"),
        (blamed, "97.5 +1", "b: 97.5 · judge\na: so-so · judge"),
    ):
        given = rows.filter(has=page.locator(f"a[href*='{trace}']"))
        expect(given.locator(".noted.on")).to_have_count(1)
        expect(given.locator(".c-score")).to_have_text(shown)
        expect(given.locator(".c-score")).to_have_attribute("title", title)
    nothing = rows.filter(has=page.locator(f"a[href*='{other}']"))
    expect(nothing.locator(".c-score")).to_have_text("–")  # noqa: RUF001 - as the page shows it


@pytest.mark.nightly
def test_done_goes_on_in_the_queue(page: Page, service: RunningSpanloom, traces: list[str]) -> None:
    queued = [traces.pop(), traces.pop()]
    queue = {"scheme": "step_evaluation", "annotators": ["ada"], "trace_ids": queued}
    call(service, "PUT", "/v1/queues/week", queue)
    first = call(service, "POST", "/v1/queues/week/next", {})["trace_id"]
    annotate(page, service, first, "step_evaluation&queue=week")
    act(page, "1", "1", "1", "Control+Enter")
    (second,) = set(queued) - {first}
    page.wait_for_url(f"**/trajectories/{second}?*queue=week*")
    assert len(said_of(service, first)) == 3
