"""Annotating on the page, in a real browser over a real service."""

from __future__ import annotations

import re
import signal
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
from tests.support.axe import serious
from tests.support.page_runs import wait_for
from tests.support.qualities import faults

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
def traces(service: RunningSpanloom) -> list[str]:
    """Runs of three steps, sent at once, one for each test that takes one."""
    sent = [send_steps(service, range(2, 5), is_waiting=False) for _ in range(16)]
    for each in sent:
        wait_for(service.api, each)
    return sent


@pytest.fixture
def trace(traces: list[str]) -> str:
    """A run of three steps that nobody annotated."""
    return traces.pop()


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
    expect(clash.locator("td")).to_have_text(["there", "here"])
    clash.get_by_role("button", name="What I say here").click()
    expect(clash).to_have_count(0)
    wait_saved(other)
    row = said_of(service, trace)[step_id(2)]
    assert (row["rationale"], row["severity"]) == ("there", "minor")
    other.close()


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
        expect(marks).to_contain_text(said)  # with no panel too, whatever the scheme
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


def test_the_list_says_what_runs_were_given(
    page: Page, service: RunningSpanloom, traces: list[str]
) -> None:
    said, other = traces.pop(), traces.pop()
    item = {"write_id": "write-listed", "step_id": step_id(2), **WRONG}
    path = f"/v1/trajectories/{said}/annotations"
    call(service, "POST", path, {"scheme": "potato", "items": [item]}, "bo")
    score = {"trace_id": said, "name": "zeal", "source": "llm", "author": "judge", "value": 0.25}
    call(service, "POST", "/v1/scores", {"items": [score]})
    page.goto(f"{service.api}/?where=trace_id in (%22{said}%22, %22{other}%22)&columns=name,score")
    rows = page.locator(".runs tbody tr")
    given = rows.filter(has=page.locator(".noted.on"))
    expect(rows).to_have_count(2)
    expect(given).to_have_count(1)
    expect(given.locator("a")).to_have_attribute("href", re.compile(said))
    expect(given.locator(".c-score")).to_have_text("95 +1")
    expect(given.locator(".c-score")).to_have_attribute(
        "title", "potato: 95 (provisional) · bo\nzeal: 0.25 · judge"
    )
    nothing = rows.filter(has_not=page.locator(".noted.on"))
    expect(nothing.locator(".c-score")).to_have_text("–")  # noqa: RUF001 - as the page has it


def test_done_goes_on_in_the_queue(page: Page, service: RunningSpanloom) -> None:
    traces = [send_steps(service, range(2, 4)) for _ in range(2)]
    queue = {"scheme": "step_evaluation", "annotators": ["ada"], "trace_ids": traces}
    call(service, "PUT", "/v1/queues/week", queue)
    first = call(service, "POST", "/v1/queues/week/next", {})["trace_id"]
    annotate(page, service, first, "step_evaluation&queue=week")
    act(page, "1", "1", "Control+Enter")
    (second,) = set(traces) - {first}
    page.wait_for_url(f"**/trajectories/{second}?*queue=week*")
    assert len(said_of(service, first)) == 2


def test_a_new_version_moves_nothing_and_states_are_told(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    annotate(page, service, trace)
    act(page, "1", "1")
    wait_saved(page)
    before = page.locator(".grid").bounding_box()
    send_steps(service, [3, 7], trace, {3: "another answer"})
    bar = page.locator(".newer-bar")
    expect(bar).to_contain_text("1 step added, 1 step changed")
    assert page.locator(".grid").bounding_box() == before
    expect(page.locator(f"{ROWS}.k-tool")).to_have_count(3)
    act(page, "1")
    wait_saved(page)
    assert bar.get_by_role("link", name="Show").get_attribute("href")
    bar.get_by_role("button", name="Go to it").click()
    expect(page.locator(f"{ROWS}.k-tool")).to_have_count(4)
    expect(page.locator(PANEL)).to_contain_text("2 of 4 judged")
    page.locator(f"{ROWS}.k-tool").nth(1).click()
    note = page.locator(f"{PANEL} .note")
    expect(note).to_contain_text("another answer")
    expect(note).to_contain_text("answer 3")
    note.get_by_role("button", name="Still right").click()
    expect(page.locator(PANEL)).to_contain_text("3 of 4 judged")
    wait_saved(page)
    row = said_of(service, trace)[step_id(3)]
    assert (row["state"], row["correctness"]) == ("valid", "correct")


def test_what_moved_and_what_has_gone_is_told(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    path = f"/v1/trajectories/{trace}/annotations"
    items = [
        {"write_id": f"write-{n:04}", "step_id": step_id(n), "correctness": "correct"}
        for n in (2, 3, 4)
    ]
    call(service, "POST", path, {"scheme": "potato", "items": items})

    def later(route: Route) -> None:
        """Answer as after a better dialect: step 2 counts under 4, and 3 has gone."""
        answer = route.fetch()
        told = answer.json()
        told["items"] = [row for row in told["items"] if row["step_id"] != step_id(4)]
        fates = {step_id(2): ("moved", step_id(4)), step_id(3): ("orphaned", "")}
        for row in told["items"]:
            row["state"], row["stands_at"] = fates[row["step_id"]]
            row |= {"version": 0, "reason": "as a test has it"}
            row["step_id"] = row["step_id"].replace("0", "f")
        route.fulfill(response=answer, json=told)

    page.route(
        "**/annotations?*", lambda route: route.continue_() if is_write(route) else later(route)
    )
    annotate(page, service, trace)
    expect(page.locator(PANEL)).to_contain_text("1 of 3 judged")
    expect(page.locator(".orphans")).to_contain_text("1 annotation of steps that have gone")
    expect(page.locator(".orphans q")).to_contain_text("tool 3: answer 3")
    page.locator(f"{ROWS}.k-tool").last.click()
    expect(page.locator(f"{PANEL} .note")).to_contain_text("Its step has gone; it stands here now")
    assert serious(page) == []
    page.get_by_role("button", name="New scheme").click()
    assert serious(page) == []


def test_who_failed_and_where(page: Page, service: RunningSpanloom, trace: str) -> None:
    text = "annotation_type: failure_attribution\nname: blame\ndescription: Who failed?\n"
    call(service, "PUT", "/v1/schemes/blame", {"text": text})
    value = {"decisive_step": step_id(4), "responsible_agent": "planner"}
    item = {"write_id": "write-blame", "value": value}
    path = f"/v1/trajectories/{trace}/annotations"
    call(service, "POST", path, {"scheme": "blame", "items": [item]}, "bo")
    annotate(page, service, trace, "blame")
    marks = page.locator(f"{ROWS}.k-tool .marks")
    expect(marks.nth(2)).to_have_text("bo: here it was decided")
    expect(page.get_by_role("region", name="What others say")).to_contain_text("tool 4")
    page.locator(f"{ROWS}.k-tool").nth(1).click()
    page.get_by_role("treegrid").focus()
    act(page, "Shift+Digit1")
    expect(page.locator(".attribution")).to_contain_text(step_id(3))
    expect(marks.nth(1)).to_have_text("you: here it was decided")
    page.get_by_label("Who is responsible").select_option("planner")
    page.locator(".rationale").fill("It asked for the wrong thing.")
    wait_saved(page)
    assert said_of(service, trace)[""]["value"] == {
        "decisive_step": step_id(3),
        "responsible_agent": "planner",
        "reason": "It asked for the wrong thing.",
    }


def test_the_run_as_a_whole_has_a_note_and_the_next_run_is_a_key_away(
    page: Page, service: RunningSpanloom, traces: list[str]
) -> None:
    page.add_init_script("localStorage.setItem('spanloom.annotator', '\"ada\"')")
    page.goto(service.api)
    links = page.locator("td.c-name a")
    expect(links.first).to_be_visible()
    order = [str(link.get_attribute("href")).split("/")[-1] for link in links.all()]
    at = next(at for at, each in enumerate(order[:-1]) if each in traces)
    trace, after = order[at : at + 2]
    traces.remove(trace)
    links.nth(at).click()
    expect(page.locator(".neighbours")).to_contain_text(f"{at + 1} of ")
    expect(page.locator(ROWS).first).to_be_visible()
    act(page, "a")
    page.get_by_role("button", name="Note on the run").click()
    page.get_by_label("Note on the run").fill("It never asked for the date.")
    wait_saved(page)
    assert said_of(service, trace)[""]["value"] == {"note": "It never asked for the date."}
    page.get_by_role("treegrid").focus()
    act(page, "]")
    page.wait_for_url(f"**/{after}?annotate=potato*")
    expect(page.locator(f"{PANEL} .saved")).to_have_text("saved")
    act(page, "[")
    page.wait_for_url(f"**/{trace}?annotate=potato*")
    expect(page.get_by_role("button", name="Note on the run 1")).to_be_visible()


def test_a_place_is_marked_and_a_text_corrected(page: Page, service: RunningSpanloom) -> None:
    said = "Oslo \U0001f600 has 700,000 people.\u200b"
    trace = send_steps(service, [2], answers={2: said})
    annotate(page, service, trace)
    act(page, "2")
    page.get_by_role("button", name="Mark places").click()
    page.get_by_role("button", name="Show the text").click()
    text = page.locator(".step-body [data-field=output]")
    expect(text).to_contain_text("\u27e8U+200B\u27e9")
    text.evaluate(
        "(text) => { const node = text.firstChild.firstChild;"
        "getSelection().setBaseAndExtent(node, 5, node, 7) }"
    )
    page.get_by_role("button", name="Mark “\U0001f600”").click()
    page.locator(".places").get_by_label("severity").select_option("minor")
    expect(text.locator(".place.mine")).to_have_text("\U0001f600")
    page.get_by_role("button", name="Correct the text").click()
    page.get_by_label("what it should say").fill("Oslo has 720,000 people.")
    page.locator(".corrections").get_by_label("why").fill("counted anew")
    wait_saved(page)
    value = said_of(service, trace)[step_id(2)]["value"]
    place = {"field": "output", "start": 5, "end": 7, "text": "\U0001f600"}
    assert value["spans"] == [{**place, "severity": "minor"}]
    assert value["corrections"] == [
        {
            "field": "output",
            "original": said,
            "edited": "Oslo has 720,000 people.",
            "reason": "counted anew",
        }
    ]


def test_places_are_found_again_in_a_text_that_changed(
    page: Page, service: RunningSpanloom
) -> None:
    trace = send_steps(service, [2], answers={2: "Oslo has a fjord, and rain."})
    places = [
        {"field": "output", "start": 11, "end": 16, "text": "fjord"},
        {"field": "output", "start": 22, "end": 26, "text": "rain"},
    ]
    item = {"write_id": "write-places", "step_id": step_id(2), **WRONG, "value": {"spans": places}}
    path = f"/v1/trajectories/{trace}/annotations"
    call(service, "POST", path, {"scheme": "potato", "items": [item]})
    send_steps(service, [2], trace, {2: "The city of \U0001f600 Oslo has a fjord."})
    wait_for(service.api, trace, 2)
    annotate(page, service, trace)
    page.locator(f"{ROWS}.k-tool").first.click()
    page.get_by_role("button", name="Mark places").click()
    page.get_by_role("button", name="Show the text").click()
    expect(page.locator(".step-body .place.mine")).to_have_text("fjord")
    listed = page.locator(".places li")
    expect(listed).to_contain_text([re.compile("Output 26.31"), "no longer in the text"])
    page.get_by_role("button", name="Still right").click()
    wait_saved(page)
    row = said_of(service, trace)[step_id(2)]
    assert row["state"] == "valid"
    here = {**places[0], "start": 26, "end": 31}
    assert row["value"]["spans"] == [here, places[1]]
    listed.nth(0).get_by_label("type", exact=True).select_option("reasoning")
    wait_saved(page)
    spans = said_of(service, trace)[step_id(2)]["value"]["spans"]
    assert spans == [{**here, "type": "reasoning", "subtype": ""}, places[1]]


def test_a_scheme_is_pasted_and_its_faults_are_told_by_line(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    annotate(page, service, trace)
    page.get_by_role("button", name="New scheme").click()
    dialog = page.get_by_role("dialog", name="New scheme")
    dialog.get_by_role("button", name="process_reward").click()
    expect(dialog.locator(".fine")).to_contain_text("my_rewards")
    page.keyboard.press("Escape")  # the button that was pressed has gone, and the focus with it
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="New scheme").click()
    area = dialog.get_by_label("YAML or JSON")
    named = SEED.replace("name: step_evaluation", "name: pasted")
    area.fill(named.replace("weight: -5", "weight: x"))
    expect(dialog.locator(".source li:nth-child(31) .wrong")).to_contain_text("line 31")
    expect(dialog.get_by_role("button", name="Store pasted")).to_be_disabled()
    area.fill(named.replace("name: pasted", "name: pasted\n    colour: red"))
    expect(dialog.locator(".source li:nth-child(4) .odd")).to_contain_text("colour")
    dialog.get_by_role("button", name="Store pasted").click()
    expect(dialog.get_by_role("button", name="pasted is stored")).to_be_disabled()
    dialog.get_by_role("button", name="Close").click()
    expect(page.get_by_label("Scheme", exact=True)).to_have_value("pasted")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_is_for_everybody(
    page: Page, service: RunningSpanloom, trace: str, language: str
) -> None:
    page.add_init_script(f"localStorage.setItem('spanloom.language', '\"{language}\"')")
    page.add_init_script(f"localStorage.setItem('spanloom.annotator', '\"{language}\"')")
    page.goto(f"{service.api}/trajectories/{trace}?annotate=potato")
    page.locator(f"{ROWS}.k-tool").first.click()
    page.locator(".option").nth(1).click()
    expect(page.locator(".more-asked")).to_be_visible()
    page.locator(".extras button").first.click()
    expect(page.locator(".corrections textarea").first).to_be_visible()
    assert faults(page) == []


def test_what_is_said_to_be_saved_survives_a_kill(
    page: Page, service: RunningSpanloom, trace: str, start_shared_spanloom: StartSpanloom
) -> None:
    """The last one: it kills the service of the others."""
    annotate(page, service, trace)
    act(page, "1", "1")
    wait_saved(page)
    service.stop(signal.SIGKILL)
    again = start_shared_spanloom(env={"SPANLOOM_ROOT_QUIET_S": "0.3"})
    again.wait_until_ready()
    assert len(said_of(again, trace)) == 2
