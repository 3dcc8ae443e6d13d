"""Judging together, in a real browser with a running service: from the queue to Potato and back."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import expect
from tests.support.annotated_runs import SEED
from tests.support.browser import wait_until
from tests.support.judging import SCHEME, Judged, Team
from tests.support.reused_page import remember

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload, Locator, Page
    from tests.conftest import StartSpanloom

WEEK = "week 3 中"
ITEM = "table.sheet-table tbody tr"
ODDITIES = (
    ("correctness_options: [good, bad]", 4, False),
    ("correctness_options: [yes, no]", 4, True),
    ("error_types:\n  - 7\n  - reasoning", 5, False),
    ("error_types: reasoning", 4, True),
    ("error_types:\n  - name: a\n    subtypes: alone", 0, False),
    ("error_types:\n  - name: a\n    subtypes: ['b::c::d']", 6, False),
    ("severities:\n  - name: minor\n    weight: -0.5", 6, False),
    ("severities:\n  - name: minor\n    weight: much", 6, True),
    ("correct_option: fine", 4, True),
    ("colour: </script><b>red</b>", 4, False),
)
"""Oddities of real schemes: text, line of the finding (0: none), and whether it is refused."""
HEAD = "annotation_type: trajectory_eval\nname: odd\ndescription: d\n"


@pytest.fixture(scope="module")
def team(start_shared_spanloom: StartSpanloom) -> Team:
    team = Team.with_runs(start_shared_spanloom, 4)
    team.judges.put_scheme()
    ids = [run.trace for run in team.runs]
    team.judges.put_queue(
        WEEK, trace_ids=ids, threshold=0.9, instructions="Judge every <b>step</b>."
    )
    return team


@pytest.fixture
def ada(page: Page, team: Team) -> Page:
    remember(page, team.api, "annotator", "ada")
    return page


def query_of(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def cells(row: Locator) -> list[str]:
    return [text.strip() for text in row.locator("td").all_inner_texts()]


def test_two_annotate_and_agree_and_it_goes_to_potato_and_back(ada: Page, team: Team) -> None:
    judges, (one, other, *_) = team
    page = ada
    page.goto(f"{team.api}/queues")
    page.get_by_role("button", name="Next for me").click()
    expect(page.locator(".queue-bar")).to_contain_text("item 1 of 4")
    asked = {"queue": WEEK, "annotate": SCHEME}  # the first step is chosen when the rows arrive
    wait_until(page, lambda: query_of(page).items() >= asked.items())
    assert one.trace in page.url
    page.locator(".queue-bar summary").click()
    expect(page.locator(".queue-bar")).to_contain_text("Judge every <b>step</b>.")
    judges.mark(one, "ada", "correct", "incorrect", "correct")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**/{other.trace}?**")
    expect(page.locator(".queue-bar")).to_contain_text("item 2 of 4")
    judges.mark(other, "ada", "correct", "correct", "correct")
    judges.mark(one, "bo", "correct", "incorrect", "incorrect")
    judges.mark(other, "bo", "correct", "correct", "correct")
    judges.done(WEEK, one, "bo")
    # they agree on 5 of 6 steps; of the 12 judgements 9 are correct and 3 incorrect
    page.goto(f"{team.api}/agreement?scheme={SCHEME}")
    row = page.locator("table.measures tbody tr").first
    expect(row).to_contain_text("correctness")
    figures = cells(row)
    kappa = (5 / 6 - 22 / 36) / (1 - 22 / 36)
    alpha = 1 - 11 * 2 / (2 * 9 * 3)
    assert figures[1] == "6 / 6"
    assert figures[2] == f"{alpha:.3f}"
    assert figures[4:] == [f"{kappa:.3f}", "83 %"]
    check_units(page, one)
    check_potato(page, team)


def check_units(page: Page, one: Judged) -> None:
    """A number opens the steps that it counts, a step its run; columns name their annotators."""
    table = page.locator("table.confusion").first
    expect(table.locator("th.says")).to_have_text(["bo says →", "ada says ↓"])
    cell = page.get_by_role("button", name="ada says correct, bo says incorrect: 1")
    cell.click()
    page.wait_for_url("**va=correct*")
    unit = page.locator("table.units tbody tr")
    expect(unit).to_have_count(1)
    heads = page.locator("table.units thead th")
    expect(heads.nth(2)).to_have_text("ada says")
    expect(heads.nth(3)).to_have_text("bo says")
    expect(unit).to_contain_text("extract_text")
    href = unit.locator("a").nth(1).get_attribute("href") or ""
    assert one.trace in href
    assert one.steps[2] in href
    severity = page.locator("table.measures tbody tr", has_text="severity").first
    expect(severity.locator(".reason").first).to_contain_text("all answers are the same")


def check_potato(page: Page, team: Team) -> None:
    """Annotations exported as Potato's files are imported again, which changes nothing."""
    before = page.request.get(f"{team.api}/v1/annotations").text()
    page.goto(f"{team.api}/exchange")
    with page.expect_download() as lines:
        page.get_by_role("button", name="Lines of JSON").click()
    assert Path(lines.value.path()).read_text("utf-8") == before
    with page.expect_download() as task:
        page.get_by_role("button", name="Task for Potato").click()
    archive = zipfile.ZipFile(io.BytesIO(Path(task.value.path()).read_bytes()))
    names = [name for name in archive.namelist() if name.endswith("user_state.json")]
    assert names == [f"annotation_output/{who}/user_state.json" for who in ("ada", "bo")]
    state = json.loads(archive.read(names[0]))
    assert len(state["instance_id_to_label_to_value"]) == 2
    given: list[FilePayload] = [
        payload(name, archive.read(name)) for name in ("items.json", names[0])
    ]
    page.get_by_label("Files", exact=True).set_input_files(given)
    expect(page.locator(".report")).to_contain_text("0 annotations would be added, 6 there")
    theirs = json.dumps({**state, "user_id": "eve"}).encode()
    eve: list[FilePayload] = [given[0], payload(names[0], theirs)]
    page.get_by_label("Files", exact=True).set_input_files(eve)
    expect(page.locator(".report")).to_contain_text("6 annotations would be added, 0 there")
    assert page.request.get(f"{team.api}/v1/annotations").text() == before
    page.get_by_role("button", name="Import").click()
    expect(page.locator(".report")).to_contain_text("6 annotations added")
    after = page.request.get(f"{team.api}/v1/annotations").text().splitlines()
    copied = [json.loads(line) for line in after if '"annotator":"eve"' in line]
    ada = [json.loads(line) for line in before.splitlines() if '"annotator":"ada"' in line]
    assert [said(entry) for entry in copied] == [said(entry) for entry in ada]


def payload(path: str, content: bytes) -> FilePayload:
    return {"name": Path(path).name, "mimeType": "application/octet-stream", "buffer": content}


def said(entry: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(s["step_id"], s["correctness"], s.get("severity", "")) for s in entry["steps"]]


@pytest.mark.nightly
def test_what_differs_is_adjudicated_beside_what_each_says(ada: Page, team: Team) -> None:
    judges, runs = team
    run, page = runs[2], ada
    judges.mark(run, "ada", "correct", "incorrect", "correct")
    judges.mark(run, "bo", "correct", "correct", "correct")
    judges.done(WEEK, run, "ada", "bo")
    page.goto(f"{team.api}/queues?queue={quote(WEEK)}&state=to_adjudicate")
    row = page.locator(ITEM, has=page.locator(f"a[href*='{run.trace}']"))
    expect(row).to_contain_text("67 %")
    row.get_by_role("link", name="Adjudicate").click()
    expect(page.locator("table.decisions tbody tr")).to_have_count(1)
    page.get_by_label("only where they differ").uncheck()
    expect(page.locator("table.decisions tbody tr")).to_have_count(3)
    page.get_by_label("only where they differ").check()
    step = page.locator("table.decisions tbody tr").first
    step.locator("td").nth(1).get_by_role("button", name="Take this").click()
    decision = step.get_by_role("group", name="Decision")
    expect(decision.get_by_role("button", name="incorrect", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(step.get_by_label("severity")).to_have_value("major")
    with page.expect_response(lambda answer: answer.request.method == "POST"):  # it is stored
        step.get_by_label("severity").select_option("critical")
    step.get_by_role("button", name="click_result").click()
    expect(page.locator("aside.step")).to_contain_text("result 3")
    with page.expect_response("**/adjudicate"):
        page.get_by_role("button", name="Adjudicated").click()
    items = judges.ask("GET", f"/v1/queues/{quote(WEEK)}/items")["items"]
    assert [item["state"] for item in items if item["trace_id"] == run.trace] == ["adjudicated"]
    rows = judges.ask("GET", f"/v1/trajectories/{run.trace}/annotations")["items"]
    (decided,) = [row for row in rows if row["origin"] == "adjudication"]
    assert (decided["annotator"], decided["severity"]) == ("ada (adjudication)", "critical")
    assert sum(row["annotator"] == "ada" for row in rows) == 3


def test_a_queue_is_made_of_a_question_and_somebody_is_away(ada: Page, team: Team) -> None:
    page = ada
    page.goto(f"{team.api}/queues?where={quote('tool_steps = 3')}")
    page.get_by_role("button", name="New queue").click()
    name = page.get_by_label("Name", exact=True)
    for wrong in ("a/b", ".."):
        name.fill(wrong)
        assert name.evaluate("(field) => !field.checkValidity()")
    name.fill("a.b …")
    assert name.evaluate("(field) => field.checkValidity()")
    name.fill("fresh")
    page.get_by_label("Scheme").select_option("mast")
    which, finds = page.get_by_label("Which runs"), page.locator("#queue-finds")
    expect(which).to_have_value("tool_steps = 3")
    expect(finds).to_have_text("4 runs")
    which.fill("tool_steps = three")
    expect(finds.get_by_role("alert")).to_contain_text("a whole number")
    which.fill("tool_steps:3")
    expect(finds).to_have_text("4 runs tool_steps = 3")
    page.get_by_label("Annotators, with commas").fill("ada, bo\uff0ccy")
    page.get_by_label("Annotators for each run").fill("1")
    page.get_by_label("Order").select_option("errors")
    page.get_by_label("Living:").check()
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("heading", name="fresh")).to_be_visible()
    page.wait_for_url(f"{team.api}/queues?queue=fresh")
    queue = team.judges.ask("GET", "/v1/queues/fresh")
    assert (queue["annotators"], queue["each"], queue["living"]) == (["ada", "bo", "cy"], 1, True)
    assert (queue["items"], queue["order"], queue["where"]) == (4, "errors", "tool_steps = 3")
    people = page.get_by_role("region", name="Annotators").locator("tbody tr")
    expect(people).to_have_count(3)
    shares = [int(cells(row)[1]) for row in people.all()]
    assert sorted(shares) == [1, 1, 2]
    people.filter(has_text="bo").get_by_role("button", name="away").click()
    expect(people.filter(has_text="bo").locator("td").nth(1)).to_have_text("0")
    page.goto(f"{team.api}/queues")
    expect(page.locator("table.queues tbody tr", has_text="fresh")).to_contain_text("bo 0/0 (away)")


def test_runs_that_are_selected_in_the_list_go_into_a_queue(ada: Page, team: Team) -> None:
    page = ada
    team.judges.put_queue("picked")
    page.goto(team.api)
    expect(page.locator("table.runs tbody tr").first).to_be_visible()
    page.keyboard.press("x")
    page.get_by_role("button", name="Into a queue").click()
    page.get_by_role("button", name="picked").click()
    expect(page.locator(".sheet")).to_contain_text("1 run put into picked, which has 1 now")
    page.get_by_role("button", name="New queue").click()
    expect(page.get_by_label("The 1 run that was selected in the list")).to_be_checked()


@pytest.mark.nightly
def test_done_needs_what_the_scheme_requires_and_can_be_taken_back(ada: Page, team: Team) -> None:
    text = SEED.replace("name: step_evaluation", "name: strict") + "    required: true\n"
    judges, runs = team
    run, page = runs[3], ada
    judges.ask("PUT", "/v1/schemes/strict", "lead", json={"text": text})
    body = {"scheme": "strict", "annotators": ["ada"], "trace_ids": [run.trace]}
    judges.ask("PUT", "/v1/queues/strict", "lead", json=body)
    page.goto(f"{team.api}/trajectories/{run.trace}?queue=strict")
    bar = page.locator(".queue-bar")
    bar.get_by_role("button", name="Done, next").click()
    expect(bar.get_by_role("alert")).to_contain_text("3 steps are not judged")
    bulk = {"scheme": "strict", "write_id": "bulk-strict", "correctness": "correct"}
    judges.ask("POST", f"/v1/trajectories/{run.trace}/annotations/bulk", "ada", json=bulk)
    bar.get_by_role("button", name="Done, next").click()
    expect(bar).to_contain_text("Nothing is left for you.")
    assert judges.ask("GET", "/v1/queues/strict")["progress"]["ada"]["timed"] == 1
    bar.get_by_role("button", name="Reopen").click()
    expect(bar.get_by_role("button", name="Reopen")).to_have_count(0)
    assert judges.ask("GET", "/v1/queues/strict")["states"] == {"begun": 1}


@pytest.mark.nightly
def test_two_who_ask_at_once_get_a_run_each_and_nothing_is_locked(
    ada: Page, browser: Browser, team: Team
) -> None:
    ids = [run.trace for run in team.runs[2:]]
    team.judges.put_queue("free", mode="free", each=1, trace_ids=ids)
    team.judges.put_queue("both", each=2, trace_ids=ids[1:])
    bo = browser.new_page()
    bo.add_init_script("localStorage.setItem('spanloom.annotator', '\"bo\"')")
    for name, runs in (("free", 2), ("both", 1)):
        for page in (ada, bo):
            page.goto(f"{team.api}/queues?queue={name}")
            expect(page.get_by_role("button", name="Next for me")).to_be_enabled()
        for page in (ada, bo):
            page.get_by_role("button", name="Next for me").click(no_wait_after=True)
        for page in (ada, bo):
            page.wait_for_url(f"**/trajectories/*?*queue={name}*")
            expect(page.locator(".annotate .figures")).to_be_visible()
        assert len({urlsplit(page.url).path for page in (ada, bo)}) == runs
    for page in (ada, bo):  # the same run for both, without a lock
        page.get_by_role("treegrid").focus()
        page.keyboard.press("1")
        expect(page.locator(".annotate .saved")).to_have_text("saved")
        expect(page.locator(".annotate")).to_contain_text("of 3 judged")
    for who in ("ada", "bo"):
        found = team.judges.ask("GET", f"/v1/trajectories/{ids[1]}/annotations", who)["items"]
        assert who in {row["annotator"] for row in found if row["correctness"] == "correct"}
    bo.close()


@pytest.mark.nightly
def test_a_queue_is_done_when_everybody_is_and_says_whose_runs_are_left(
    ada: Page, team: Team
) -> None:
    judges, (run, *_) = team
    judges.put_queue("pair", trace_ids=[run.trace])
    for who, left in (("ada", "1 begun"), ("bo", "1 done")):
        judges.ask("POST", "/v1/queues/pair/next", who, json={})
        judges.mark(run, who, "correct", "correct", "correct")
        judges.done("pair", run, who)
        ada.goto(f"{team.api}/queues")
        row = ada.locator("table.queues tbody tr", has_text="pair")
        expect(row).to_contain_text("ada 1/1")
        expect(row).to_contain_text("bo 1/1" if who == "bo" else "bo 0/1")
        expect(row).to_contain_text(left)
        row.get_by_role("button", name="Next for me").click()
        expect(row.get_by_role("status")).to_contain_text("Nothing is left for you.")


@pytest.mark.nightly
def test_a_scheme_is_pasted_and_what_is_odd_is_told_at_its_line(ada: Page, team: Team) -> None:
    page = ada
    page.goto(f"{team.api}/schemes")
    page.get_by_role("button", name="New scheme").click()
    field = page.get_by_label("YAML or JSON")
    for odd, line, fails in ODDITIES:
        field.fill(HEAD + odd + "\n")
        store = page.get_by_role("button", name="Store odd")
        finding = page.locator(f".editor .source li:nth-child({line}) p")
        if line:
            expect(finding).to_contain_text(f"line {line}:")
        else:
            expect(page.locator(".editor .fine")).to_be_visible()
        expect(store).to_be_disabled() if fails else expect(store).to_be_enabled()
    field.fill(HEAD + "  - broken: [\n")
    expect(page.locator(".editor .source p.wrong")).to_contain_text("no YAML")
    page.get_by_label("From a file").set_input_files(payload("config.yaml", SEED.encode()))
    expect(page.locator(".editor .fine")).to_contain_text("is understood")
    page.get_by_role("button", name=f"Store {SCHEME}").click()
    expect(page.get_by_role("heading", name=SCHEME)).to_be_visible()
    page.wait_for_url(f"**scheme={SCHEME}*")
    expect(page.locator(".taxonomy")).to_contain_text("wrong_tool")


def test_who_is_asked_once_and_kept(page: Page, team: Team) -> None:
    page.goto(f"{team.api}/queues")
    expect(page.get_by_role("button", name="Next for me").first).to_be_disabled()
    page.get_by_label("Your name").fill("bo 柏")
    page.keyboard.press("Enter")
    expect(page.locator(".who")).to_contain_text("bo 柏")
    page.goto(f"{team.api}/agreement")
    expect(page.locator(".who")).to_contain_text("bo 柏")
