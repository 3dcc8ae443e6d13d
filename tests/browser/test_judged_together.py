"""Two people in two browsers judge the published example; runs that get new versions.

The tests click only visible elements, and enter text only by typing.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
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
from tests.support.browser import Watch
from tests.support.interception import Held, intercept
from tests.support.page_runs import start_quick, wait_for
from tests.support.published_run import STEPS, TASK, send_published

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload, Page
    from tests.conftest import RunningSpanloom, StartSpanloom

SCHEME = "step_evaluation"
ALL_SAID = """() => [...document.querySelectorAll(".grid .row")].every(
  (row) => row.querySelector(".preview").textContent)"""
"""Returns whether all rows in sight have their preview texts."""


@pytest.fixture(scope="module")
def service(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    running = start_quick(start_shared_spanloom)
    call(running, "PUT", f"/v1/schemes/{SCHEME}", {"text": SEED})
    return running


def begin(page: Page, service: RunningSpanloom, name: str) -> None:
    """Go from the list to the panel, and enter a scheme and an annotator's name there."""
    page.goto(service.api)
    page.get_by_role("link", name="browser").click()
    page.get_by_role("button", name="Annotate").click()
    panel = page.locator(PANEL)
    panel.get_by_label("Scheme", exact=True).select_option(SCHEME)
    panel.get_by_role("textbox").fill(name)
    page.keyboard.press("Enter")
    expect(panel).to_contain_text("0 of 3 judged")
    expect(page.locator(".step-head")).to_contain_text(STEPS[0][0])


def option(page: Page, name: str) -> None:
    page.locator(PANEL).get_by_role("button", name=name).first.click()


def to_next(page: Page) -> None:
    page.locator(PANEL).get_by_role("button", name="Next unjudged").click()
    expect(page.locator(f"{PANEL} .option[aria-pressed=true]")).to_have_count(0)


def judge_wrong(page: Page) -> None:
    """Judge a step as the second step of the published example is judged."""
    for name in ("incorrect", "execution", "wrong tool", "major"):
        option(page, name)
    page.locator(f"{PANEL} .rationale").fill("Should have used a more specific selector")


@pytest.mark.nightly
def test_two_browsers_judge_agree_and_take_it_to_potato_and_back(
    page: Page, browser: Browser, service: RunningSpanloom
) -> None:
    trace = send_published(service)
    other = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    watch = Watch(other)
    for who, name in ((page, "ada"), (other, "bo")):
        begin(who, service, name)
        option(who, "correct")
        to_next(who)
        judge_wrong(who)
        to_next(who)
    option(page, "correct")
    judge_wrong(other)
    for who, score in ((page, "95 / 100"), (other, "90 / 100")):
        expect(who.locator(f"{PANEL} .score")).to_have_text(f"Score {score}")
        expect(who.locator(PANEL)).to_contain_text("3 of 3 judged")
        wait_saved(who)
    check_agreement(page, service)
    check_potato(page, other, service)
    rows = said_of(service, trace)
    assert rows[step_id(3)]["rationale"] == "Should have used a more specific selector"
    other.context.close()
    assert watch.faults == []


def check_agreement(page: Page, service: RunningSpanloom) -> None:
    """Compare the shown measures of agreement with values worked out by hand.

    ada judges right, wrong, right and bo right, wrong, wrong: they agree on 2 of 3 steps. Of six
    judgements three are right and three wrong, so that two drawn at random differ with probability
    2*3*3 / (6*5) = 3/5, two of the same step with 1/3: alpha = 1 - (1/3)/(3/5) = 4/9. By chance
    ada (2/3 right) and bo (1/3 right) agree with 2/9 + 2/9: kappa = (2/3 - 4/9)/(5/9) = 2/5.
    """
    page.goto(f"{service.api}/agreement")
    page.get_by_label("Scheme").select_option(SCHEME)
    row = page.locator("table.measures tbody tr", has_text="correctness").first
    expect(row).to_contain_text("3 / 3")
    cells = [text.strip() for text in row.locator("td").all_inner_texts()]
    assert (cells[1], cells[2], *cells[4:]) == ("3 / 3", "0.444", "0.400", "67 %")


def check_potato(page: Page, other: Page, service: RunningSpanloom) -> None:
    """Export a task for Potato and import it in the other browser, which adds nothing."""
    page.goto(f"{service.api}/exchange")
    page.get_by_label("Scheme").select_option(SCHEME)
    with page.expect_download() as task:
        page.get_by_role("button", name="Task for Potato").click()
    archive = zipfile.ZipFile(io.BytesIO(Path(task.value.path()).read_bytes()))
    assert TASK in archive.read("items.json").decode()
    given: list[FilePayload] = [
        {"name": Path(name).name, "mimeType": "application/json", "buffer": archive.read(name)}
        for name in ("items.json", "annotation_output/bo/user_state.json")
    ]
    other.goto(f"{service.api}/exchange")
    other.get_by_label("Files", exact=True).set_input_files(given)
    expect(other.locator(".report")).to_contain_text("0 annotations would be added, 3 there")
    before = other.request.get(f"{service.api}/v1/annotations").text()
    other.get_by_role("button", name="Import").click()
    expect(other.locator(".report")).to_contain_text("0 annotations added, 3 there")
    assert other.request.get(f"{service.api}/v1/annotations").text() == before


def test_a_new_version_takes_nothing_out_of_the_hands(page: Page, service: RunningSpanloom) -> None:
    """A new version arrives while an annotator types far down in a tree; text and view stay."""
    trace = send_steps(service, range(2, 82))
    annotate(page, service, trace)
    page.keyboard.press("End")
    page.keyboard.press("2")
    why = page.locator(f"{PANEL} .rationale")
    why.click()
    page.keyboard.type("It asked twice, ")
    page.wait_for_function(ALL_SAID)
    before = sight(page)
    send_steps(service, [3, 90], trace, {3: "another answer"})
    expect(page.locator(".newer-bar")).to_contain_text("1 step added, 1 step changed")
    page.keyboard.type("and got nothing.")
    expect(why).to_have_value("It asked twice, and got nothing.")
    assert sight(page) == before
    wait_saved(page)
    row = said_of(service, trace)[step_id(81)]
    assert (row["rationale"], row["version"]) == ("It asked twice, and got nothing.", 1)


@pytest.mark.nightly
def test_a_version_that_comes_while_the_page_opens_is_told(
    page: Page, service: RunningSpanloom
) -> None:
    """The version is stored after the page has read the run and before it follows the feed."""
    trace = send_steps(service, range(2, 5))

    sent: list[str] = []

    def late(held: Held) -> None:
        if not sent:
            sent.append(send_steps(service, [9], trace, is_waiting=False))
            wait_for(service.api, trace, version=2)
        held.continue_()

    intercept(page, "*/v1/trajectories/changes*", late)
    page.goto(f"{service.api}/trajectories/{trace}")
    expect(page.locator(".newer-bar")).to_contain_text("Version 2")


def sight(page: Page) -> object:
    """Return everything that must not move: rows and positions, the chosen row, panel and focus."""
    return page.evaluate(
        "() => [[...document.querySelectorAll('.grid .row')].map((row) => [row.innerText, "
        "row.getBoundingClientRect().y]), document.querySelector('.grid .on').id, "
        "document.querySelector('.grid').scrollTop, document.activeElement.className, "
        "document.querySelector('.rationale').getBoundingClientRect().y]"
    )


@pytest.mark.nightly
def test_where_people_differ_is_kept_alone_and_gone_to(
    page: Page, service: RunningSpanloom
) -> None:
    trace = send_steps(service, range(2, 8), below=5)
    path = f"/v1/trajectories/{trace}/annotations"
    for who, wrong in (("bo", ()), ("cleo", (3, 6))):
        items = [
            {
                "write_id": f"differ-{who}-{n}",
                "step_id": step_id(n),
                "correctness": "incorrect" if n in wrong else "correct",
            }
            for n in range(2, 8)
        ]
        call(service, "POST", path, {"scheme": SCHEME, "items": items}, who)
    annotate(page, service, trace, SCHEME)
    tools, chosen = page.locator(f"{ROWS}.k-tool"), page.locator(f"{ROWS}.on .label")
    panel = page.locator(PANEL)
    filtered = panel.get_by_role("button", name="2 steps differ")
    for wanted in ("tool 3", "tool 6", "tool 3"):
        panel.get_by_role("button", name="Next that differs").click()
        expect(chosen).to_have_text(wanted)
    filtered.click()
    expect(tools).to_have_count(2)
    expect(page.locator(f"{ROWS}.k-agent.dim")).to_have_count(2)
    page.get_by_role("button", name="hits alone").click()
    expect(page.locator(ROWS)).to_have_count(2)
    page.get_by_role("treegrid").focus()
    page.keyboard.press("d")
    expect(chosen).to_have_text("tool 6")
    page.reload()
    expect(page.locator(ROWS)).to_have_count(2)
    filtered.click()
    expect(tools).to_have_count(6)
    page.locator(f"{ROWS}.k-tool").first.click()
    page.get_by_role("treegrid").focus()
    page.keyboard.press("2")
    expect(panel.get_by_role("button", name="3 steps differ")).to_be_visible()
    assert serious(page) == []


@pytest.mark.nightly
def test_what_was_done_can_be_undone_after_a_reload(page: Page, service: RunningSpanloom) -> None:
    trace = send_steps(service, range(2, 6))
    annotate(page, service, trace, SCHEME)
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.locator(PANEL).get_by_role("button", name="major").click()
    page.get_by_role("treegrid").focus()
    page.locator(f"{ROWS}.k-agent").click()
    page.get_by_role("treegrid").focus()
    page.keyboard.press("Shift+Digit1")
    expect(page.locator(PANEL)).to_contain_text("4 of 4 judged")
    wait_saved(page)
    page.reload()
    expect(page.locator(PANEL)).to_contain_text("4 of 4 judged")
    page.get_by_role("treegrid").focus()
    for judged, score in ((2, 95), (2, 100), (1, 100)):
        page.keyboard.press("u")
        expect(page.locator(PANEL)).to_contain_text(f"{judged} of 4 judged")
        expect(page.locator(f"{PANEL} .score")).to_have_text(f"Score {score} / 100")
    wait_saved(page)
    assert list(said_of(service, trace)) == [step_id(2)]
    page.keyboard.press("U")
    wait_saved(page)
    assert said_of(service, trace)[step_id(3)]["correctness"] == "incorrect"
