"""The page of a conversation, in a real browser with a running service."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from tests.support.annotated_page import call
from tests.support.axe import moderate
from tests.support.browser import wait_until
from tests.support.conversations import (
    GOODBYE,
    LONG,
    TALK,
    TURNS,
    send_late_step,
    send_later_turn,
    send_long_talk,
    send_talks,
    wait_for_runs,
    wait_for_words,
)
from tests.support.ground_truth import all_captures
from tests.support.interception import Held, intercept
from tests.support.outlines import Row, encode_outline
from tests.support.page_runs import MARKUP
from tests.support.qualities import faults
from tests.support.sent_captures import send as send_capture

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page, Route
    from tests.conftest import RunningSpanloom

ROWS = ".grid .row"
RUNS = 104
"""Number of runs of the long conversation, more than the first page of the list contains."""
MANY = 20_000
MANY_RUNS, MANY_TALK = 10, "support/of many runs"
"""More runs than the page searches and opens by itself after ``lower_the_bounds``."""
BOUNDS = {"finding.js": ("FEW = 20", "FEW = 4"), "state.js": ("runs: 20", "runs: 4")}
WHOLE_MS = 60_000
"""Time limit until the page has searched all runs, on a busy machine too."""
ROWS_ARE = """async (one, least) => {
  while (Number(one.ariaRowCount) < least) await new Promise(requestAnimationFrame);
}"""


GOES_ON, WENT_ON = "a talk that goes on", "a talk that went on"
JUDGED = "a talk that was judged"
SHORT = {TALK: TURNS, GOES_ON: TURNS[:2], WENT_ON: TURNS[:1], JUDGED: TURNS[:2]}


@pytest.fixture(scope="module")
def talks(service: RunningSpanloom) -> dict[str, list[str]]:
    """Send the short conversations; return the trace ids of each, keyed by its name."""
    return send_talks(service, SHORT)


@pytest.fixture(scope="module")
def talk(talks: dict[str, list[str]]) -> list[str]:
    return talks[TALK]


@pytest.fixture(scope="module")
def long(service: RunningSpanloom) -> list[str]:
    return send_long_talk(service, RUNS)


CUT_THOUGH_THERE_IS_ROOM = """names => names.filter((name) => {
  const label = name.closest(".label");
  const isCut = [name, label].some((one) => one.scrollWidth > one.clientWidth);
  return isCut && label.clientWidth < label.parentElement.clientWidth / 2;
}).map((name) => name.textContent)"""


def open_talk(page: Page, service: RunningSpanloom, name: str = TALK, query: str = "") -> Locator:
    """Open a conversation and return its grid."""
    page.goto(f"{service.api}/conversation?id={quote(name, safe='')}{query}")
    expect(page.locator(ROWS).first).to_be_visible()
    return page.get_by_role("treegrid", name="Steps")


def asked_for(page: Page, part: str) -> list[str]:
    """Return a list that collects the requested addresses that contain ``part``, from now on."""
    found: list[str] = []
    page.on("request", lambda one: found.append(one.url) if part in one.url else None)
    return found


def test_runs_are_the_roots_of_one_tree(
    page: Page, service: RunningSpanloom, talk: list[str]
) -> None:
    grid = open_talk(page, service)
    heads = page.locator(f"{ROWS}.k-run")
    grid.focus()
    page.keyboard.press("-")
    expect(heads).to_have_count(5)
    expect(grid).to_have_attribute("aria-rowcount", "6")
    third = heads.nth(2)
    expect(third).to_have_attribute("aria-level", "1")
    expect(third).to_have_attribute("aria-posinset", "3")
    expect(third).to_have_attribute("aria-setsize", "5")
    for part, text in ((".kind", "#3"), (".below", "✕ 3"), (".tokens", "960"), (".time", "4.54 s")):
        expect(third.locator(part)).to_have_text(text)
    expect(third.locator(".preview")).to_have_text(
        "Then book the train instead. → I could not: the seats are gone."
    )
    expect(third.locator(".facts-of")).to_contain_text("$0.0033")
    expect(third.locator(".fault-sign")).to_have_attribute("aria-label", "recovered")
    expect(third.locator("a")).to_have_attribute("href", f"/trajectories/{talk[2]}")
    expect(page.locator(".run-head")).to_contain_text("runs5")
    expect(page.locator(".run-head")).to_contain_text("4.2k / 600")
    page.keyboard.press("+")
    expect(grid).to_have_attribute("aria-rowcount", "30")
    page.keyboard.press("e")
    expect(page.locator(f"{ROWS}.on .label")).to_have_text("weather")
    page.wait_for_url(f"**step={talk[1]}%2F{3:016x}*")
    expect(page.locator(".step h2")).to_contain_text("weather")
    expect(page.locator(".step")).to_contain_text("429 slow down")


def test_the_address_says_which_step_and_what_is_its_root(
    page: Page, service: RunningSpanloom, talk: list[str]
) -> None:
    grid = open_talk(page, service, query=f"&step={talk[3]}/{4:016x}&root={talk[3]}")
    expect(page.locator(ROWS)).to_have_count(6)
    expect(page.locator(f"{ROWS}.on .label")).to_have_text("book")
    expect(page.locator(".crumbs")).to_have_text("travel_agent")
    grid.focus()
    page.keyboard.press("Escape")
    expect(grid).to_have_attribute("aria-rowcount", "28")
    page.wait_for_url(lambda url: "root=" not in url)
    page.keyboard.press("Home")
    page.keyboard.press(".")
    expect(page.locator(ROWS)).to_have_count(6)
    page.wait_for_url(f"**root={talk[0]}*")


def test_runs_lead_to_their_pages_and_back(
    page: Page, service: RunningSpanloom, talk: list[str]
) -> None:
    page.goto(service.api + "/?where=duration+%3E+0s")
    expect(page.locator("table.runs tbody tr").first).to_be_visible()
    grid = open_talk(page, service)
    grid.focus()
    page.keyboard.press("]")
    page.keyboard.press("]")
    expect(page.locator(".step h2")).to_contain_text("#3")
    page.keyboard.press("[")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/trajectories/{talk[1]}")
    expect(page.locator(".neighbours")).to_contain_text("2 of 5")
    page.keyboard.press("]")
    page.wait_for_url(f"**/trajectories/{talk[2]}")
    page.get_by_role("link", name="Conversation", exact=True).first.click()
    page.wait_for_url("**/conversation?**")
    expect(page.locator(ROWS).first).to_be_visible()
    page.locator(f"{ROWS}.k-run a").first.click()
    page.wait_for_url(f"**/trajectories/{talk[0]}")
    page.get_by_role("link", name="Conversation", exact=True).click()
    page.wait_for_url(f"**step={talk[0]}*")
    page.get_by_role("link", name="\u2039 Runs").click()
    page.wait_for_url("**/?where=duration*")


@pytest.mark.nightly
def test_of_a_long_conversation_only_what_is_opened_is_fetched(
    page: Page, service: RunningSpanloom, long: list[str]
) -> None:
    outlines = asked_for(page, "/outline?")
    grid = open_talk(page, service, LONG)
    expect(grid).to_have_attribute("aria-rowcount", str(RUNS + 1))
    page.wait_for_timeout(300)
    assert outlines == []
    page.locator(f"{ROWS}.k-run .twist").nth(1).click()
    expect(grid).to_have_attribute("aria-rowcount", str(RUNS + 1 + 5))
    expect(page.locator(f"{ROWS}.k-tool .label").first).to_have_text("look")
    expect(page.locator(f"{ROWS}.k-tool .preview").first).to_have_text("found: look")
    assert [long[1] in url for url in outlines] == [True]
    grid.focus()
    page.keyboard.press("+")  # all are opened, only those in sight are fetched
    expect(page.locator(f"{ROWS}.k-model").nth(3)).to_be_visible()
    wait_until(page, lambda: len(outlines) >= 3)
    page.wait_for_timeout(500)  # for any further requests
    assert len(outlines) < RUNS / 2


def test_what_comes_in_moves_nothing_in_sight(
    page: Page, service: RunningSpanloom, long: list[str]
) -> None:
    """The steps of the last run appear below its row, which stays where it is."""
    grid = open_talk(page, service, LONG)
    expect(grid).to_have_attribute("aria-rowcount", str(RUNS + 1))
    grid.focus()
    page.keyboard.press("End")
    last = page.locator(f"{ROWS}.on")
    expect(last.locator(".kind")).to_have_text(f"#{RUNS}")
    page.wait_for_timeout(300)
    before = last.bounding_box()
    page.keyboard.press("ArrowRight")
    expect(last).to_have_attribute("aria-expanded", "true")
    expect(grid).to_have_attribute("aria-rowcount", str(RUNS + 1 + 5))
    assert last.bounding_box() == before
    assert long


@pytest.mark.nightly
def test_a_run_that_cannot_be_fetched_is_asked_for_again_and_may_be_huge(
    page: Page, service: RunningSpanloom, long: list[str]
) -> None:
    """The outline is synthetic, like that of ``open_many`` in ``test_heavy.py``."""
    rows = [Row(0, "agent", "all", 0, MANY)]
    rows += [Row(1, "tool", f"n{at % 100}", at, 1) for at in range(1, MANY)]
    body, is_busy = encode_outline(rows), True

    def answer(held: Held) -> None:
        if is_busy:
            held.fulfill(status=503, json={"detail": "too busy"})
        else:
            held.fulfill(body=body)

    intercept(page, "*/v1/*/outline*", answer)
    grid = open_talk(page, service, LONG)
    grid.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"{ROWS}.k-waiting .preview")).to_have_text("too busy")
    is_busy = False
    page.keyboard.press("ArrowRight")
    expect(grid).to_have_attribute("aria-rowcount", str(RUNS + 1 + MANY))
    assert page.locator(ROWS).count() < 100
    for key, count in {"-": RUNS, "+": MANY + 2 * RUNS - 1, "End": MANY + 2 * RUNS - 1}.items():
        page.keyboard.press(key)
        grid.evaluate(ROWS_ARE, count + 1)
    assert page.locator(ROWS).count() < 100
    assert long


def test_a_view_that_is_gone_is_the_tree(
    page: Page, service: RunningSpanloom, talk: list[str]
) -> None:
    page.goto(f"{service.api}/conversation?id={quote(TALK, safe='')}&view=flame")
    expect(page.locator(".bar-line .chip")).to_contain_text("There is no view flame")
    expect(page.locator(".views [aria-current=true]")).to_have_text("Tree")
    expect(page.locator(".find")).to_be_visible()
    assert talk


def test_the_transcript_tells_who_said_what_turn_after_turn(
    page: Page, service: RunningSpanloom, talk: list[str]
) -> None:
    page.goto(f"{service.api}/conversation?id={quote(TALK, safe='')}&view=transcript")
    turns = page.locator(".turn")
    expect(turns).to_have_count(5)
    expect(turns.nth(1).locator(".said .text")).to_have_text(
        ["Is it dry there tomorrow?", "It rains, as ever."]
    )
    expect(turns.nth(3).locator(".said").last).to_contain_text(GOODBYE)
    assert page.locator("img, iframe, object, [onerror]").count() == 0
    assert faults(page) == []
    page.get_by_role("button", name="4 steps").nth(1).click()
    entries = turns.nth(1).locator(".entry")
    expect(entries).to_have_count(4)
    expect(entries.nth(1)).to_contain_text("429 slow down")
    entries.nth(1).get_by_role("button", name="tool weather").click()
    expect(page.locator(".step h2")).to_contain_text("weather")
    expect(turns.nth(1)).to_have_class("turn on")
    page.wait_for_url(f"**step={talk[1]}%2F{3:016x}*")
    page.keyboard.press("]")
    expect(page.locator(".step h2")).to_contain_text("#3")
    assert faults(page) == []


@pytest.mark.nightly
def test_a_long_transcript_has_pages_and_texts_of_what_is_seen(
    page: Page, service: RunningSpanloom, long: list[str]
) -> None:
    steps = asked_for(page, "/steps/")
    query = f"id={quote(LONG, safe='')}&view=transcript&step={long[60]}"
    page.goto(f"{service.api}/conversation?{query}")
    expect(page.locator(".turn.on")).to_be_in_viewport()
    expect(page.locator(".turn.on .said").first).to_contain_text("Question 60?")
    expect(page.locator(".pager")).to_contain_text(f"100 of {RUNS} runs")
    wait_until(page, lambda: len(steps) >= 6)
    page.wait_for_timeout(500)  # for any further requests
    assert len(steps) < 40
    page.get_by_role("button", name="Earlier runs").click()
    expect(page.locator(".turn .said").first).to_contain_text("Question 0?")
    page.get_by_role("button", name="Later runs").click()
    page.get_by_role("button", name="Later runs").click()
    expect(page.locator(".turn")).to_have_count(RUNS - 100)


def test_the_graph_is_that_of_the_run_which_is_chosen(
    page: Page, service: RunningSpanloom, talk: list[str]
) -> None:
    query = f"id={quote(TALK, safe='')}&view=graph&graph=calls&step={talk[1]}"
    page.goto(f"{service.api}/conversation?{query}")
    expect(page.locator(".node")).to_have_count(5)
    page.get_by_role("button", name="tool weather").first.press("Enter")
    expect(page.locator(".step h2")).to_contain_text("weather")
    page.wait_for_url(f"**step={talk[1]}%2F{3:016x}*")
    expect(page.locator(".node.on")).to_have_count(1)
    assert faults(page) == []
    page.keyboard.press("]")
    expect(page.locator(".node")).to_have_count(6)
    page.get_by_label("Graph of the run").select_option(index=3)
    expect(page.locator(".run-card h2")).to_contain_text("#4")


@pytest.mark.nightly
def test_an_error_and_what_was_said_are_found_in_runs_that_nobody_opened(
    page: Page, service: RunningSpanloom, long: list[str]
) -> None:
    wait_for_words(service.api, LONG, "Answer 41", 1)
    grid = open_talk(page, service, LONG)
    page.get_by_role("button", name="✕ 2", exact=True).click()
    active = page.locator(f"{ROWS}.on")
    expect(active.locator(".label")).to_have_text("say")
    expect(active).to_have_class("row k-tool err on")
    page.wait_for_url(f"**step={long[7]}%2F{4:016x}*")
    grid.focus()
    page.keyboard.press("e")
    page.wait_for_url(f"**step={long[57]}%2F{4:016x}*")
    expect(active).to_be_in_viewport()
    hits = page.locator(".find [role=status]")
    box = page.get_by_label("Search steps")
    box.fill("answer 41")
    expect(hits).to_have_text("2 hits")  # in the agent and in its last model step
    expect(grid).to_have_attribute("aria-rowcount", "4")
    expect(page.locator(f"{ROWS}.k-run .kind")).to_have_text("#42")
    expect(page.locator(f"{ROWS}:not(.dim) .preview").last).to_contain_text("Answer 41.")
    box.press("Enter")
    page.wait_for_url(f"**step={long[41]}%2F*")
    box.fill("say")  # the name of a tool in every run
    expect(hits).to_have_text(f"{RUNS} hits")
    expect(page.locator(f"{ROWS}.k-tool:not(.dim) .label").first).to_have_text("say")
    box.fill("")
    expect(page.locator(f"{ROWS}.dim")).to_have_count(0)


@pytest.fixture(scope="module")
def many(service: RunningSpanloom) -> str:
    """Send a conversation with more runs than the page searches at once; return its name."""
    send_long_talk(service, MANY_RUNS, MANY_TALK)
    wait_for_words(service.api, MANY_TALK, f"Answer {MANY_RUNS - 1}", 1)
    return MANY_TALK


def lower_the_bounds(page: Page) -> None:
    """Lower the page's limits to four runs, because a search beyond the real limits takes long."""

    def lower(route: Route) -> None:
        answer = route.fetch()
        text, (was, becomes) = answer.text(), BOUNDS[route.request.url.split("/")[-1]]
        assert was in text
        route.fulfill(response=answer, body=text.replace(was, becomes))

    for name in BOUNDS:
        page.route(f"**/conversation/{name}", lower)


@pytest.mark.nightly
def test_parts_of_words_are_looked_for_in_all_runs(
    page: Page, service: RunningSpanloom, many: str
) -> None:
    lower_the_bounds(page)
    open_talk(page, service, many)
    box, hits = page.get_by_label("Search steps"), page.locator(".find [role=status]")
    box.fill("nswer ")
    expect(page.get_by_text(f"0 of {MANY_RUNS} runs looked through")).to_be_visible()
    expect(hits).to_have_text("0 hits")
    page.get_by_role("button", name="Look through the others").click()
    hit = f"{2 * MANY_RUNS} hits"  # in the agents and in their last model steps
    expect(hits).to_have_text(hit, timeout=WHOLE_MS)
    expect(page.get_by_text("runs looked through")).to_have_count(0)
    for at in (0, MANY_RUNS - 1):
        box.fill(f"nswer {at}.")
        page.get_by_role("button", name="Look through the others").click()
        expect(page.locator(f"{ROWS}:not(.dim) .preview").last).to_contain_text(f"Answer {at}.")
        expect(hits).to_have_text("2 hits")
    assert faults(page) == []


@pytest.mark.nightly
def test_a_search_is_stopped_and_goes_on_until_all_steps_are_found(
    page: Page, service: RunningSpanloom, many: str
) -> None:
    let_through = iter(range(3))
    held: list[Route] = []

    def some(route: Route) -> None:
        if next(let_through, None) is None:
            held.append(route)
        else:
            route.continue_()

    lower_the_bounds(page)
    searches = "**/v1/trajectories/*/search?*"
    page.route(searches, some)
    grid = open_talk(page, service, many)
    page.get_by_label("Search steps").fill("say")  # the name of a tool in every run
    expect(page.get_by_text(f"3 of {MANY_RUNS} runs looked through")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    for route in held:
        route.continue_()
    page.unroute_all(behavior="wait")
    more = page.get_by_role("button", name="Look through the others")
    expect(more).to_be_visible()
    told = page.get_by_text(f"{3 + 4} of {MANY_RUNS} runs looked through")
    expect(told).to_be_visible()  # four searches were under way
    expect(page.locator(".find [role=status]")).to_have_text(f"{MANY_RUNS} hits")  # some are runs
    page.wait_for_timeout(300)
    expect(told).to_be_visible()
    more.click()
    rows = str(1 + 3 * MANY_RUNS)  # each below its run and agent
    expect(grid).to_have_attribute("aria-rowcount", rows, timeout=WHOLE_MS)
    expect(page.locator(".find [role=status]")).to_have_text(f"{MANY_RUNS} hits")
    expect(page.get_by_text("runs looked through")).to_have_count(0)
    grid.focus()
    for key in ("Home", "End"):
        page.keyboard.press(key)
        expect(page.locator(f"{ROWS}.k-tool:not(.dim) .label").first).to_have_text("say")


@pytest.mark.nightly
def test_what_could_not_be_looked_through_is_asked_for_again(
    page: Page, service: RunningSpanloom, many: str
) -> None:
    failing = {"left": 3}

    def busy(route: Route) -> None:
        failing["left"] -= 1
        if failing["left"] >= 0:
            route.fulfill(status=503, json={"detail": "too busy"})
        else:
            route.continue_()

    lower_the_bounds(page)
    page.route("**/v1/trajectories/*/search?*", busy)
    grid = open_talk(page, service, many)
    page.get_by_label("Search steps").fill("say")
    left = page.get_by_text(f"{MANY_RUNS - 3} of {MANY_RUNS} runs looked through")
    expect(left).to_be_visible(timeout=WHOLE_MS)
    page.get_by_role("button", name="Look through the others").click()
    expect(left).to_have_count(0)
    expect(grid).to_have_attribute("aria-rowcount", str(1 + 3 * MANY_RUNS), timeout=WHOLE_MS)


@pytest.mark.nightly
def test_what_comes_meanwhile_is_told_and_moves_nothing(
    page: Page, service: RunningSpanloom, talks: dict[str, list[str]]
) -> None:
    name, traces = GOES_ON, talks[GOES_ON]
    open_talk(page, service, name)
    page.locator(f"{ROWS}.k-tool").first.click()
    expect(page.locator(".step h2")).to_contain_text("search")
    for row, text in (("agent", "Hotel Norge, 1,450 NOK."), ("model", "It rains, as ever.")):
        expect(page.locator(f"{ROWS}.k-{row} .preview", has_text=text)).to_have_count(1)
    rows = page.locator(".grid").inner_text()
    send_late_step(service, traces[1])
    expect(page.locator(".newer-bar")).to_contain_text("1 changed")
    send_later_turn(service, "another talk", 1)
    send_later_turn(service, name, 2)
    expect(page.locator(".newer-bar")).to_contain_text("1 new · 1 changed")
    assert page.locator(".grid").inner_text() == rows
    expect(page.locator(".step h2")).to_contain_text("search")
    assert faults(page) == []
    page.get_by_role("button", name="Go to it").click()
    expect(page.locator(f"{ROWS}.k-run")).to_have_count(3)
    expect(page.locator(f"{ROWS} .label", has_text="notes")).to_be_visible()
    expect(page.locator(".newer-bar")).to_have_count(0)


@pytest.mark.usefixtures("talks")
def test_what_came_before_the_page_listened_is_told(page: Page, service: RunningSpanloom) -> None:
    sent: list[str] = []

    def late(held: Held) -> None:
        if not sent:
            sent.append(send_later_turn(service, WENT_ON, 2))
        held.continue_()

    intercept(page, "*/v1/trajectories/changes*", late)
    open_talk(page, service, WENT_ON)
    expect(page.locator(".newer-bar")).to_contain_text("1 new")


@pytest.mark.nightly
def test_what_people_and_evaluators_say_is_marked_at_runs_and_steps(
    page: Page, service: RunningSpanloom, talks: dict[str, list[str]]
) -> None:
    measured, annotated = talks[JUDGED]
    mark = {"write_id": "talk-write-1", "step_id": f"{3:016x}", "correctness": "incorrect"}
    path = f"/v1/trajectories/{annotated}/annotations"
    call(service, "POST", path, {"scheme": "potato", "items": [mark]}, "bo")
    said = {"trace_id": measured, "target": "step", "step_id": f"{3:016x}"}
    score = {**said, "name": "safety", "source": "rule", "author": "guard", "value": 1}
    call(service, "POST", "/v1/scores", {"items": [{**score, "passed": False}]})
    open_talk(page, service, JUDGED)
    signs = page.locator(f"{ROWS} .marks i")
    expect(signs).to_have_count(3)
    runs = page.locator(f"{ROWS}.k-run .marks")
    expect(runs.locator("i")).to_have_count(1)  # the first run has no annotation
    expect(runs.nth(1)).to_have_text("annotated")
    expect(page.locator(f"{ROWS}.k-tool .marks").first).to_contain_text("guard: safety 1")
    expect(page.locator(f"{ROWS}.k-tool.err .marks")).to_contain_text("bo: incorrect")
    page.locator(".grid").focus()
    for key in ("-", "+"):
        page.keyboard.press(key)
    expect(signs).to_have_count(3)
    assert faults(page) == []


CAPTURED = {
    "eino-langfuse/multi_turn": ("session-ada-1", 3),
    "other-google-adk/approval_approved": ("bank-1", 2),
}
"""Captured conversations, keyed by capture: the name of each and the number of its runs."""


@pytest.mark.nightly
def test_captured_conversations_are_shown_as_they_were(
    page: Page, service: RunningSpanloom
) -> None:
    for capture in all_captures():
        if capture.id in CAPTURED:
            send_capture(service, capture)
    for name, count in CAPTURED.values():
        runs = wait_for_runs(service.api, name, count)
        grid = open_talk(page, service, name)
        heads = page.locator(f"{ROWS}.k-run")
        expect(heads).to_have_count(len(runs))
        expect(heads.locator(".run-name")).to_have_text([run["root_name"] for run in runs])
        grid.evaluate(ROWS_ARE, 2 * len(runs) + 1)
        page.get_by_role("button", name="Transcript").click()
        turns = page.locator(".turn")
        expect(turns).to_have_count(len(runs))
        for turn, run in zip(turns.all(), runs, strict=True):
            is_tree = run["question"].startswith("{")  # which is not shown as text
            for text in (run["answer"], *(() if is_tree else (run["question"],))):
                begun = text.removesuffix("…")[:100]
                expect(turn).to_contain_text(begun, use_inner_text=True)
    assert moderate(page) == []


@pytest.mark.nightly
def test_a_conversation_makes_a_dataset_and_a_file_that_prints_whole(
    page: Page, service: RunningSpanloom, talk: list[str], tmp_path: Path
) -> None:
    open_talk(page, service)
    page.locator(".run-head").get_by_role("button", name="Dataset").click()
    dialog = page.get_by_role("dialog", name="Create a dataset")
    expect(dialog.get_by_role("status")).to_have_text("5 rows would be written")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.emulate_media(media="print")
    expect(page.locator(".on-paper")).to_contain_text("prints the whole conversation")
    page.emulate_media(media="screen")
    with page.expect_download() as waited:
        page.locator(".run-head").get_by_role("button", name="Export HTML").click()
    saved = tmp_path / waited.value.suggested_filename
    waited.value.save_as(saved)
    assert saved.name == "trip-to-i-Bergen-i-.html"
    page.goto(saved.as_uri())
    expect(page.get_by_role("heading", level=1)).to_have_text(TALK)
    expect(page.get_by_role("heading", level=2)).to_have_count(len(talk))
    expect(page.locator("h2").last).to_contain_text(MARKUP)
    expect(page.locator("details")).to_have_count(3 * len(talk) + 9)  # and nine tool steps
    closed = page.locator("details").last
    closed.evaluate("(one) => { one.open = false; }")
    expect(closed.locator(".text").last).not_to_be_visible()
    page.emulate_media(media="print")
    expect(closed.locator(".text").last).to_be_visible()
    page.emulate_media(media="screen")
    assert page.locator("img, script, i, [onerror]").count() == 0
    assert faults(page) == []


def test_it_is_for_everybody_and_texts_of_strangers_stay_text(
    page: Page, service: RunningSpanloom, talk: list[str]
) -> None:
    grid = open_talk(page, service)
    expect(page.locator(".run-card")).to_be_visible()
    assert faults(page) == []
    page.locator(f"{ROWS}.k-model").first.click()
    expect(page.locator(".step .said").first).to_be_visible()
    assert faults(page) == []
    grid.focus()
    page.keyboard.press("End")
    page.keyboard.press("[")
    name = page.locator(f"{ROWS}.on .run-name")
    expect(name).to_contain_text(MARKUP)
    expect(page.locator(".step h2")).to_contain_text("⟨U+202E⟩gnp.exe⟨U+200B⟩")
    expect(page.locator(".step .said").last).to_contain_text(MARKUP)
    assert page.locator("img, iframe, object, [onerror]").count() == 0
    assert talk


def test_a_conversation_that_is_not_there_is_said_to_be_missing(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(f"{service.api}/conversation?id=nobody")
    expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()


@pytest.mark.nightly
def test_at_any_width_lines_do_not_overlap_and_names_have_their_room(
    page: Page, service: RunningSpanloom, talk: list[str]
) -> None:
    open_talk(page, service)
    page.locator(".grid .row.k-run").first.click()
    lines = page.locator(".run-card .step-head > *")
    expect(lines).to_have_count(4)
    edges = "one => { const { top, bottom } = one.getBoundingClientRect(); return [top, bottom]; }"
    for width in (1024, 1100, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        boxes = [line.evaluate(edges) for line in lines.all()]
        assert all(above[1] <= below[0] for above, below in itertools.pairwise(boxes))
        assert page.locator(".run-card .ids code").evaluate(edges)[1] <= boxes[2][0]
    page.set_viewport_size({"width": 390, "height": 844})
    names = page.locator(f"{ROWS} .run-name")
    expect(names).to_have_count(len(talk))
    wait_until(page, lambda: names.evaluate_all(CUT_THOUGH_THERE_IS_ROOM) == [])
