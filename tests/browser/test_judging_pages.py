"""The pages for judging together: on a phone, by keyboard, and with the words of the form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import expect
from tests.support.annotated_runs import SEED
from tests.support.away import AWAY, prepare, try_again
from tests.support.examples import some_every_day
from tests.support.judging import Judged, Judges, Team
from tests.support.qualities import faults
from tests.support.reused_page import remember
from tests.support.wide_elements import WIDE

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Locator, Page, ViewportSize
    from tests.conftest import StartSpanloom

PHONE: ViewportSize = {"width": 390, "height": 844}
SCHEME = "careful"
CAREFUL = SEED.replace("name: step_evaluation", f"name: {SCHEME}").replace("minor", "minor_error")
BLAME = "annotation_type: failure_attribution\nname: blame\ndescription: Who failed?\n"
LONG = "charlotte.brontë@example.org"
QUEUE = "a queue whose name is rather long, to see what becomes of it"
WHY = "it says minor_error twice"
FILE = "a_rather_long_name_of_a_file_with_annotations.jsonl"
FIRST = f"{1:032x}"
NOTE_LEFT = """const ask = window.fetch; window.left = [];
window.fetch = (url, more) => {
  more.signal?.addEventListener("abort", () => window.left.push(String(url)));
  return ask(url, more);
};"""
"""Records the addresses of requests that the page aborts."""


@pytest.fixture(scope="module")
def team(start_shared_spanloom: StartSpanloom) -> Team:
    """Three annotators who disagree, one with a long name; two of them blame different steps."""
    team = Team.with_runs(start_shared_spanloom, 3)
    judges, runs = team
    for name, text in ((SCHEME, CAREFUL), ("blame", BLAME)):
        judges.ask("PUT", f"/v1/schemes/{name}", "lead", json={"text": text})
    ids, people = [run.trace for run in runs], ["ada", "bo", LONG]
    judges.put_queue(QUEUE, scheme=SCHEME, trace_ids=ids, annotators=people, each=3, threshold=0.9)
    for run in runs:
        judges.mark(run, "ada", "correct", "incorrect", "partially_correct", scheme=SCHEME)
        judges.mark(run, "bo", "correct", "correct", "incorrect", scheme=SCHEME)
        judges.mark(run, LONG, "partially_correct", "correct", "correct", scheme=SCHEME)
    judges.done(QUEUE, runs[0], *people)
    for who, step in (("ada", 1), ("bo", 2)):
        value = {
            "responsible_agent": "browser",
            "decisive_step": runs[0].steps[step],
            "reason": WHY,
        }
        say(judges, runs[0], who, "blame", step_id="", value=value)
    return team


def say(judges: Judges, run: Judged, who: str, scheme: str, **item: object) -> None:
    items = [{"write_id": f"pages-{who}-{scheme}", **item}]
    path = f"/v1/trajectories/{run.trace}/annotations"
    judges.ask("POST", path, who, json={"scheme": scheme, "items": items})


@pytest.fixture
def ada(page: Page, team: Team) -> Page:
    remember(page, team.api, "annotator", "ada")
    return page


PAGES = [
    (f"/queues?queue={quote(QUEUE)}", f"tbody a[href*='{FIRST}']"),
    (f"/schemes?scheme={SCHEME}", "ol.source"),
    (f"/agreement?scheme={SCHEME}", "table.units tbody .state"),
    (f"/adjudication?scheme=blame&all=1&trace={FIRST}", "table.decisions .take"),
    ("/exchange", "input[type=file]"),
    ("/queues", "table.queues"),
    (f"/queues?queue={quote(QUEUE)}&new=1", "table.sheet-table tbody a"),
    ("/queues?new=1", "form.fields"),
    ("/schemes?scheme=mast", "ol.source"),
    (f"/adjudication?scheme={SCHEME}&all=1&trace={FIRST}&queue={quote(QUEUE)}", "td .options"),
]
"""Addresses, each with an element that is shown there; the first five are different pages."""


@pytest.mark.parametrize(("path", "shown"), some_every_day(PAGES, every_day=5))
def test_every_page_is_for_everybody_and_nothing_is_scrolled_sideways_on_a_phone(
    ada: Page, team: Team, path: str, shown: str
) -> None:
    ada.goto(team.api + path)
    expect(ada.locator(shown).first).to_be_visible()
    assert faults(ada) == []
    ada.set_viewport_size(PHONE)
    for language in ("en", "zh"):
        if language == "zh":
            speak_chinese(ada)
        expect(ada.locator(shown).first).to_be_visible()
        assert ada.evaluate("document.documentElement.lang") == language
        assert ada.evaluate(WIDE) == []


def speak_chinese(page: Page) -> None:
    page.get_by_role("button", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh")


def test_the_queue_of_a_run_is_for_everybody(ada: Page, team: Team) -> None:
    ada.goto(f"{team.api}/trajectories/{FIRST}?queue={quote(QUEUE)}")
    expect(ada.locator(".queue-bar button").first).to_be_visible()
    assert faults(ada) == []


def test_what_is_not_taken_is_told_on_a_phone_and_a_line_that_is_no_json_named(
    ada: Page, team: Team
) -> None:
    ada.set_viewport_size(PHONE)
    ada.goto(f"{team.api}/exchange")
    give(ada, b'{"trace_id":"none","annotator":"ada","scheme":"none such"}\n' * 2)
    row = ada.locator(".report tbody tr").first
    expect(row).to_be_visible()
    assert labels_of(row) == ["entry", "what", "why"]
    assert ada.evaluate(WIDE) == []
    give(ada, b"\n{}\n{")
    told = f"{FILE}: line 3 is no JSON. Nothing of it was taken."
    expect(ada.get_by_role("alert")).to_have_text(told)


def give(page: Page, lines: bytes) -> None:
    """Choose a file with these lines in the page's file field."""
    file: FilePayload = {"name": FILE, "mimeType": "application/x-ndjson", "buffer": lines}
    page.get_by_label("Files", exact=True).set_input_files(file)


def labels_of(row: Locator) -> list[str]:
    """Return the labels before the values of a row that is shown as a block."""
    before = "(cell) => getComputedStyle(cell, '::before').content.slice(1, -1)"
    return [cell.evaluate(before) for cell in row.locator("td[data-label]").all()]


def test_whose_columns_they_are_stands_over_all_and_a_phone_shows_what_was_said(
    ada: Page, team: Team
) -> None:
    ada.goto(f"{team.api}/agreement?scheme={SCHEME}")
    matrices = ada.locator("table.confusion")
    expect(matrices.first).to_be_visible()
    for table in matrices.all():
        row = table.locator("tbody tr").first.locator("td")
        over, first, last = (
            edges(one) for one in (table.locator(".says").first, row.first, row.last)
        )
        assert over == pytest.approx((first[0], last[1]), abs=1)
        assert first[1] - first[0] < 1.5 * (last[1] - last[0])  # no column is wider for a long name
    ada.set_viewport_size(PHONE)
    row = matrices.first.locator("tbody tr").first
    expect(row.locator("th")).to_have_text("correct")
    cells = row.locator("td:visible")
    expect(cells).to_have_text("3")
    assert cells.evaluate_all("(all) => all.map((one) => one.dataset.label)") == ["bo says correct"]
    cells.get_by_role("button").click()
    expect(ada.locator("#units")).to_contain_text("“correct” · “correct”")


def edges(of: Locator) -> tuple[float, float]:
    left, right = of.evaluate(
        "(e) => (({ left, right }) => [left, right])(e.getBoundingClientRect())"
    )
    return left, right


def test_adjudication_has_the_words_of_the_form(ada: Page, team: Team) -> None:
    run = team.runs[1]
    wrong = {"error_type": "execution", "error_subtype": "wrong_tool", "severity": "minor_error"}
    spans = [{"field": "output", "start": 0, "end": 6, "text": "result", "type": "data_leak"}]
    said = {"step_id": run.steps[1], "correctness": "partially_correct", "rationale": WHY, **wrong}
    say(team.judges, run, "bo", SCHEME, **said, value={"spans": spans})
    ada.goto(f"{team.api}/adjudication?scheme={SCHEME}&trace={run.trace}")
    row = ada.locator("table.decisions tbody tr", has_text="click_result")
    cell = row.locator("td").nth(2)
    expect(cell.locator("div > div")).to_have_text(
        ["partially correct", "execution \u203a wrong tool, minor error", WHY, "“result” data leak"]
    )
    cell.get_by_role("button", name="Take this").click()
    decision = row.get_by_role("group", name="Decision")
    expect(decision.get_by_role("button", pressed=True)).to_have_text("partially correct")
    for label, shown in (("subtype", "wrong tool"), ("severity", "minor error \u22121")):
        expect(row.get_by_label(label).locator("option:checked")).to_have_text(shown)
    rows = team.judges.ask("GET", f"/v1/trajectories/{run.trace}/annotations")["items"]
    (decided,) = [one for one in rows if one["origin"] == "adjudication"]
    assert decided["correctness"] == "partially_correct"
    assert decided["severity"] == "minor_error"
    assert decided["value"]["spans"] == spans


def test_a_decision_that_is_not_stored_is_said_to_be_and_can_be_made_again(
    ada: Page, team: Team
) -> None:
    ada.goto(f"{team.api}/adjudication?scheme=blame&trace={team.runs[0].trace}")
    row = ada.locator("table.decisions tbody tr").first
    take = row.get_by_role("button", name="Take this").first
    expect(take).to_be_enabled()
    ada.route("**/annotations*", lambda route: route.abort())
    take.click()
    expect(row.get_by_role("alert")).to_have_text("Not stored: The service does not answer")
    ada.unroute("**/annotations*")
    with ada.expect_response("**/annotations*") as answer:
        take.click()
    assert answer.value.ok
    expect(row.get_by_role("alert")).to_have_count(0)


def test_adjudication_that_was_opened_while_nobody_answered_comes(ada: Page, team: Team) -> None:
    prepare(ada)
    ada.add_init_script("isAway = true")
    ada.goto(f"{team.api}/adjudication?scheme=blame&trace={team.runs[0].trace}")
    failure = ada.locator("section[role=alert]")
    expect(failure).to_contain_text(AWAY)
    try_again(failure)
    expect(ada.locator("table.decisions")).to_be_visible()


def test_blame_is_told_by_names(ada: Page, team: Team) -> None:
    ada.goto(f"{team.api}/adjudication?scheme=blame&trace={FIRST}")
    row = ada.locator("table.decisions tbody tr")
    told = ["responsible agent: browser", "decisive step: click_result", f"why: {WHY}"]
    expect(row.locator("td").nth(1).locator("div > div")).to_have_text(told)
    row.locator("td").nth(2).get_by_role("button", name="Take this").click()
    expect(row.locator("td").nth(3)).to_contain_text("decisive step: extract_text")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("path", "places"),
    [
        ("/agreement?scheme=blame", ["table.measures"]),
        (f"/adjudication?scheme=blame&all=1&trace={FIRST}", ["table.decisions"]),
        (f"/trajectories/{FIRST}?annotate=blame", [".attribution", ".annotate .people"]),
    ],
)
def test_blame_has_the_same_names_wherever_it_stands(
    ada: Page, team: Team, path: str, places: list[str]
) -> None:
    ada.goto(team.api + path)
    for place in places:
        expect(ada.locator(place)).to_contain_text("responsible agent")
        expect(ada.locator(place)).to_contain_text("decisive step")
    speak_chinese(ada)
    for place in places:
        expect(ada.locator(place)).to_contain_text("责任代理")
        expect(ada.locator(place)).to_contain_text("决定性步骤")


def test_names_are_read_as_words_and_reasons_as_they_were_written(ada: Page, team: Team) -> None:
    run = team.runs[2]
    said = {"step_id": run.steps[0], "correctness": "incorrect", "severity": "minor_error"}
    say(team.judges, run, "bo", SCHEME, **said, rationale=WHY)
    ada.goto(f"{team.api}/trajectories/{run.trace}?annotate={SCHEME}&step={run.steps[0]}")
    told = ada.get_by_role("region", name="What others say")
    expect(told).to_contain_text("minor error")
    expect(told).to_contain_text(WHY)
    marks = ada.locator(".grid .row", has_text="search_web").locator(".marks")
    expect(marks).to_have_attribute("title", re.compile("bo: incorrect, minor error"))


def test_a_run_that_was_left_is_read_no_further_and_shown_no_more(ada: Page, team: Team) -> None:
    """Late answers of a run that was left are ignored; else a decision would go to the next run."""
    first, second, _ = team.runs
    address = f"{team.api}/adjudication?scheme={SCHEME}&all=1&trace="
    ada.add_init_script(NOTE_LEFT)
    ada.goto(address + second.trace)
    table = ada.locator("table.decisions")
    expect(table).to_be_visible()
    said, read = (f"**/{first.trace}/{what}*" for what in ("annotations", "outline"))
    ada.route(said, lambda _: None)
    with ada.expect_request(said):
        turn_to(ada, address + first.trace)
    expect(table).to_have_count(0)
    ada.route(read, lambda _: None)
    with ada.expect_request(said), ada.expect_request(read):
        ada.goto(address + first.trace)
    turn_to(ada, address + second.trace)
    expect(table).to_be_visible()
    left = [urlsplit(url).path for url in ada.evaluate("window.left")]
    assert {f"/v1/trajectories/{first.trace}/{what}" for what in ("annotations", "outline")} <= {
        *left
    }


def turn_to(page: Page, address: str) -> None:
    """Show another address without loading the page again, as *Done, next* does."""
    turn = "(url) => { history.pushState({}, '', url); dispatchEvent(new PopStateEvent('popstate'))"
    page.evaluate(f"{turn} }}", address)


def test_what_is_decided_stays_in_sight_beside_a_step(ada: Page, team: Team) -> None:
    run = team.runs[0]
    ada.set_viewport_size({"width": 900, "height": 800})
    query = f"scheme={SCHEME}&all=1&trace={run.trace}&step={run.steps[1]}"
    ada.goto(f"{team.api}/adjudication?{query}")
    expect(ada.locator("aside.step")).to_contain_text("result 3")
    box = edges(ada.get_by_role("region", name="Adjudication"))
    for decision in ada.get_by_role("group", name="Decision").all():
        left, right = edges(decision)
        assert box[0] < left
        assert right <= box[1]


def test_on_a_phone_a_step_comes_into_sight_when_it_is_chosen(ada: Page, team: Team) -> None:
    ada.set_viewport_size(PHONE)
    ada.goto(f"{team.api}/adjudication?scheme={SCHEME}&all=1&trace={FIRST}")
    button = ada.get_by_role("button", name="tool search_web")
    button.click()
    expect(ada.locator("aside.step").get_by_role("heading", level=2)).to_be_in_viewport()
    expect(button).to_be_focused()


@pytest.mark.parametrize(
    ("path", "opens"),
    [("/queues", "New queue"), ("/schemes", "New scheme"), (f"/schemes?scheme={SCHEME}", "Change")],
)
def test_a_form_that_is_left_gives_the_focus_back(
    ada: Page, team: Team, path: str, opens: str
) -> None:
    ada.goto(team.api + path)
    button = ada.get_by_role("button", name=opens, exact=True)
    button.press("Enter")
    ada.get_by_role("button", name="Cancel").press("Enter")
    expect(ada.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(button).to_be_focused()


def test_who_one_is_is_changed_by_keys_and_the_queues_speak_chinese(ada: Page, team: Team) -> None:
    ada.goto(f"{team.api}/queues")
    button = ada.get_by_role("button", name="change", exact=True)
    for key, typed, then in (("Escape", "eve", "ada"), ("Enter", "bo", "bo")):
        button.press("Enter")
        expect(ada.get_by_label("Your name")).to_be_focused()
        ada.keyboard.type(typed)
        ada.keyboard.press(key)
        expect(button).to_be_focused()
        expect(ada.locator("b", has_text=then)).to_be_visible()
    speak_chinese(ada)
    expect(ada.get_by_role("heading", name="队列")).to_be_visible()
    expect(ada.get_by_role("button", name="我的下一个").first).to_be_enabled()


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("path", "told"),
    [
        (f"/trajectories/{'0' * 32}", "A run appears a second or two after its first spans"),
        ("/trajectories/abc", "Ids of runs have 32 characters"),
        ("/queues?queue=nope", "It may be written otherwise"),
        ("/agreement?scheme=nope", "It may be written otherwise"),
        ("/?cursor=nope", "Mend it"),
        ("/nonsense", "There is no page at this address"),
        ("/steps/\u202e<b>x", "/steps/%E2%80%AE%3Cb%3Ex"),
    ],
)
def test_a_wrong_address_is_told_by_what_is_wrong(
    page: Page, team: Team, path: str, told: str
) -> None:
    page.goto(team.api + path)
    notice = page.locator(".notice")
    expect(notice).to_contain_text(told)
    expect(notice).not_to_contain_text("String should match")
    expect(notice).not_to_contain_text("spanloom doctor")


def test_adjudication_without_a_run_asks_for_one(ada: Page, team: Team) -> None:
    ada.goto(f"{team.api}/adjudication?scheme={SCHEME}&queue={quote(QUEUE)}")
    expect(ada.get_by_text("Choose a run:")).to_be_visible()
    expect(ada.get_by_role("button", name="Adjudicated")).to_have_count(0)


def test_a_run_is_adjudicated_by_keys_and_its_score_is_the_decision(ada: Page, team: Team) -> None:
    run = team.runs[2]
    ada.goto(f"{team.api}/adjudication?scheme={SCHEME}&trace={run.trace}&queue={quote(QUEUE)}")
    expect(ada.locator("aside.step h2")).to_be_visible()  # a step is shown without a click
    done = ada.get_by_role("button", name="Adjudicated")
    left = ada.get_by_text("to decide", exact=False)
    expect(left).to_have_text("3 steps to decide")
    expect(done).to_be_disabled()
    for said in ("2 steps to decide", "1 step to decide", None):
        ada.keyboard.press("2")  # chooses the column of bo
        if said:
            expect(left).to_have_text(said)
            ada.keyboard.press("n")
    expect(left).to_have_count(0)
    expect(done).to_be_enabled()
    path = f"/v1/scores?trace_id={run.trace}&target=trajectory"
    scores = team.judges.ask("GET", path)["items"]
    (decided,) = [one["value"] for one in scores if one["source"] == "adjudication"]
    assert len({one["value"] for one in scores}) > 1
    ada.goto(team.api)
    row = ada.locator("table.runs tbody tr").filter(has=ada.locator(f"a[href*='{run.trace}']"))
    expect(row.locator(".c-score")).to_contain_text(f"{decided:g}")
