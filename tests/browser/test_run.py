"""The page of one run, in a real browser with a running service."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.support.axe import moderate
from tests.support.page_runs import (
    ADDRESS,
    MARKUP,
    TALK,
    send_failed_silently,
    send_two_versions,
)
from tests.support.qualities import faults

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page
    from tests.conftest import RunningSpanloom
    from tests.support.page_runs import PageRuns

ROWS = ".grid .row"


def open_run(page: Page, service: RunningSpanloom, trace: str, query: str = "") -> Locator:
    """Open a run and return its grid."""
    page.goto(f"{service.api}/trajectories/{trace}{query}")
    expect(page.locator(ROWS).first).to_be_visible()
    return page.get_by_role("treegrid", name="Steps")


def test_the_tree_is_a_treegrid_that_keys_walk_and_a_search_cuts(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    grid = open_run(page, service, runs.failing)
    rows = page.locator(ROWS)
    expect(rows).to_have_count(6)
    expect(grid).to_have_attribute("aria-rowcount", "7")
    tools = page.locator(f"{ROWS}.k-tool")
    for at, row in enumerate(tools.all()):
        assert row.get_attribute("aria-level") == "3"
        assert row.get_attribute("aria-posinset") == str(at + 1)
        assert row.get_attribute("aria-setsize") == "3"
    grid.focus()
    for key in ("ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    expect(rows).to_have_count(3)
    closed = page.locator(f"{ROWS}.on")
    expect(closed).to_have_attribute("aria-expanded", "false")
    expect(closed.locator(".below")).to_have_text("✕ 3")
    page.keyboard.press("e")
    expect(rows).to_have_count(6)
    expect(page.locator(f"{ROWS}.on .label")).to_have_text("weather")
    page.keyboard.press("End")
    expect(page.locator(f"{ROWS}.on")).to_have_attribute("aria-rowindex", "7")
    box, hits = page.get_by_label("Search steps"), page.locator(".find [role=status]")
    box.fill("weather")  # a name, which the page itself finds
    expect(hits).to_have_text("4 hits")
    box.fill("cannot tell")  # words, which the service finds
    expect(hits).to_have_text("2 hits")
    page.get_by_role("button", name="hits alone").click()
    box.fill("")
    page.get_by_role("button", name="tool", exact=True).click()
    expect(rows).to_have_count(3)
    page.wait_for_url("**type=tool*")


def test_the_address_says_which_step_and_what_is_its_root(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    grid = open_run(page, service, runs.failing)
    page.locator(ROWS).nth(1).click()
    expect(page.locator(".step h2")).to_contain_text("weatherman")
    page.wait_for_url("**step=0000000000000002*")
    grid.focus()
    page.keyboard.press(".")
    expect(page.locator(ROWS)).to_have_count(4)
    page.wait_for_url("**root=0000000000000002*")
    page.reload()
    expect(page.locator(ROWS)).to_have_count(4)
    expect(page.locator(".crumbs")).to_contain_text("weatherman")
    page.get_by_role("treegrid").focus()
    page.keyboard.press("Escape")
    expect(page.locator(ROWS)).to_have_count(6)


def test_a_step_shows_its_messages_and_each_call_with_its_result_to_everybody(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    open_run(page, service, runs.team)
    page.locator(f"{ROWS}.k-model").first.click()
    expect(page.locator(".step .said").first).to_be_visible()
    assert faults(page) == []
    page.locator(f"{ROWS}.k-model").last.click()
    step = page.locator(".step")
    expect(step.locator("h2 .kind")).to_have_text("model")
    expect(step.locator(".said").first).to_be_visible()
    earlier = step.locator(".earlier")  # shown with the messages, if at all
    if earlier.count():
        earlier.first.click()
    expect(step.locator(".call").first).to_contain_text("result")
    for tab, wanted in (("JSON", ".branch"), ("Text", ".text"), ("Raw", ".attributes")):
        step.get_by_role("button", name=tab, exact=True).click()
        expect(step.locator(wanted).first).to_be_visible()
    step.get_by_role("button", name="Parsing").click()
    expect(step).to_contain_text("dialect")


def test_a_narrow_page_has_the_step_below_the_tree(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    page.set_viewport_size({"width": 320, "height": 700})
    open_run(page, service, runs.team)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 320
    tree_ends, step_begins = page.evaluate(  # both at once, as the head may grow
        "[document.querySelector('.left').getBoundingClientRect().bottom,"
        " document.querySelector('.step').getBoundingClientRect().top]"
    )
    assert step_begins >= tree_ends


def test_the_root_is_called_what_it_is_and_framework_spans_are_hidden_until_asked_for(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    grid = open_run(page, service, runs.team)
    page.get_by_role("button", name="Transcript").click()
    expect(page.locator(".entry").first.locator(".kind")).to_have_text("graph")
    expect(page.locator(".step h2 .kind, .step .kind").first).to_have_text("graph")
    page.get_by_role("button", name="Tree").click()
    expect(page.locator(ROWS).first).to_be_visible()
    rows = grid.get_attribute("aria-rowcount") or ""
    grid.focus()
    page.keyboard.press("o")
    expect(grid).not_to_have_attribute("aria-rowcount", rows)
    assert int(grid.get_attribute("aria-rowcount") or 0) > int(rows)
    page.wait_for_url("**frames=1*")
    page.locator(f"{ROWS}.k-other").first.click()
    expect(page.locator(".step")).to_contain_text("no step of its own")
    expect(page.locator(".step .attributes").first).to_be_visible()


def test_neighbours_are_those_of_the_list(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    among = ", ".join(f'"{trace}"' for trace in runs)
    page.goto(f"{service.api}/?where=trace_id in ({among})")
    links = page.locator("td.c-name a")
    expect(links).to_have_count(3)
    second = links.nth(1).get_attribute("href")
    links.first.click()
    expect(page.locator(".neighbours")).to_contain_text("1 of 3")
    page.keyboard.press("]")
    page.wait_for_url(f"**{second}*")
    expect(page.locator(".neighbours")).to_contain_text("2 of 3")


def test_hostile_texts_stay_texts_and_markdown_is_a_view_that_is_remembered(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    grid = open_run(page, service, runs.hostile)
    expect(page.locator("h1")).to_contain_text(MARKUP)
    expect(page.locator("h1")).to_contain_text("⟨U+202E⟩gnp.exe⟨U+200B⟩")
    page.locator(f"{ROWS}.k-model").click()
    step = page.locator(".step")
    expect(step.locator(".said").first).to_contain_text(MARKUP)
    assert page.locator("img, iframe, object, [onerror]").count() == 0
    step.get_by_role("button", name="Show", exact=True).click()
    expect(step.locator("img")).to_have_attribute("src", re.compile("^blob:"))
    expect(step.get_by_role("button", name="Show", exact=True)).to_have_count(0)  # not for the SVG
    expect(step.locator(f'a[href="{ADDRESS}"]')).to_have_attribute(
        "rel", "noopener noreferrer nofollow"
    )
    assert page.locator('a[href^="javascript"]').count() == 0
    grid.focus()
    for _ in range(page.locator(f"{ROWS}.k-tool").count()):
        page.keyboard.press("ArrowDown")
        expect(step.locator(".side").first).to_be_visible()
    page.keyboard.press("Home")
    page.locator(f"{ROWS}.k-model").click()
    step.get_by_role("button", name="Markdown", exact=True).click()
    expect(step.locator(".md").first).to_contain_text(MARKUP)
    page.reload()
    page.locator(f"{ROWS}.k-model").click()
    expect(step.locator(".md").first).to_contain_text("⟨U+202E⟩gnp.exe")
    assert page.locator('img, iframe, [onerror], a[href^="javascript"]').count() == 0
    assert faults(page) == []


def test_a_run_that_is_not_there_is_said_to_be_missing(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(f"{service.api}/trajectories/{'0' * 32}")
    expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()


def test_previews_come_for_the_rows_in_sight_and_who_listens_is_told_what_others_see(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    open_run(page, service, runs.failing)
    expect(page.locator(f"{ROWS} .preview").last).to_have_text("I cannot tell.")
    expect(page.locator(f"{ROWS}.k-tool .preview").first).to_contain_text("429 slow down")
    row = page.locator(f"{ROWS}.k-tool.err").first
    row.click()
    expect(row).to_match_aria_snapshot(
        """
        - row "tool failed weather 429 slow down – 20 ms after 40 ms" [level=3] [selected]
        """  # noqa: RUF001 - as the page shows it
    )
    expect(page.locator(".step-body")).to_match_aria_snapshot(
        """
        - heading "Input" [level=3]
        - button "Copy"
        - heading "Output" [level=3]
        """
    )


def test_the_graph_says_who_called_whom_and_the_transcript_tells_it_in_order(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    page.goto(f"{service.api}/trajectories/{runs.failing}")
    page.get_by_role("button", name="Graph").click()
    page.get_by_role("button", name="Each call").click()
    nodes = page.locator(".node")
    expect(nodes).to_have_count(6)
    expect(page.locator(".edge")).to_have_count(5)
    expect(nodes.filter(has_text="model")).to_contain_text("150 tokens")
    page.get_by_role("button", name="tool weather").first.press("Enter")
    expect(page.locator(".step h2")).to_contain_text("weather")
    expect(page.locator(".node.on")).to_have_count(1)
    assert faults(page) == []
    page.get_by_role("button", name="Transcript").click()
    expect(page.locator(".entry")).to_have_count(6)
    expect(page.locator(".entry").last).to_contain_text("I cannot tell.")
    page.locator(".entry h3 button").nth(1).click()
    expect(page.locator(".step h2")).to_contain_text("weatherman")
    page.locator(".entry h3 button").nth(2).click()
    expect(page.locator(".step h2 .kind")).to_have_text("tool")
    assert faults(page) == []
    assert moderate(page) == []


def test_a_conversation_has_its_runs(page: Page, service: RunningSpanloom, runs: PageRuns) -> None:
    open_run(page, service, runs.failing)
    page.get_by_role("link", name="Conversation", exact=True).click()
    expect(page.get_by_role("heading", name=TALK)).to_be_visible()
    link = page.locator(f"{ROWS}.k-run.on .run-name")
    expect(link).to_have_text("forecaster")
    expect(link).to_have_attribute("href", f"/trajectories/{runs.failing}")


def test_two_runs_are_laid_side_by_side(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    page.goto(f"{service.api}/diff?a={runs.failing}&b={runs.team}")  # the newer run first
    expect(page.locator(".sides").first).to_contain_text("duration")
    expect(page.locator(".steps-of tr").first).to_be_visible()
    expect(page.locator(".change .words").first).to_be_visible()
    sums = page.locator("table.sides").first
    names = sums.locator("thead a")
    expect(names).to_have_text(["company_team", "forecaster"])
    expect(names.first).to_have_attribute("href", f"/trajectories/{runs.team}")
    expect(sums.locator("tr", has_text="model time").locator("td")).to_have_count(3)
    tools = sums.locator("tr", has_text="steps of tools").locator("td")
    expect(tools).to_have_text(["4", "3", "\u22121 (\u221225 %)"])
    page.get_by_role("link", name="the other way round").click()
    expect(names).to_have_text(["forecaster", "company_team"])
    page.get_by_role("link", name="\u2039 Runs").click()
    expect(page.get_by_role("heading", name="Runs")).to_be_attached()


def test_no_error_is_told_from_one_without_a_word(page: Page, service: RunningSpanloom) -> None:
    a, b = send_failed_silently(service)
    page.goto(f"{service.api}/diff?a={a}&b={b}")
    changed = page.locator(".steps-of .change").filter(has_text="error")
    expect(changed.locator("td")).to_have_text(["\u2013", "(empty)"])


def test_two_runs_are_asked_for_where_none_are_named(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    page.goto(f"{service.api}/diff")
    page.get_by_label("First run").fill(runs.failing.upper())
    page.get_by_label("Second run").fill("no id")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="Which two runs?")).to_be_visible()
    page.get_by_label("Second run").fill(f"{service.api}/trajectories/{runs.team}?step=1")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("table.sides thead a").first).to_have_text("company_team")
    assert faults(page) == []
    page.goto(f"{service.api}/diff?a={'1' * 32}&b={runs.team}")
    expect(page.get_by_role("alert")).to_contain_text("There is no trajectory")
    expect(page.get_by_label("Second run")).to_have_value(runs.team)


def test_versions_that_were_kept_are_picked_and_compared(
    page: Page, service: RunningSpanloom
) -> None:
    trace = send_two_versions(service)
    open_run(page, service, trace)
    expect(page.locator(ROWS)).to_have_count(7)
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("link", name="v1 kept").click()
    page.wait_for_url("**version=1*")
    expect(page.locator(ROWS)).to_have_count(6)
    expect(page.locator(".run-head")).to_contain_text("This is version 1")
    page.locator(f"{ROWS}.k-model").click()
    expect(page.locator(".step .said").last).to_contain_text("I cannot tell.")
    page.get_by_role("button", name="Parsing").click()
    expect(page.locator(".step")).to_contain_text("a step of its own")
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("link", name="compare with version 2").click()
    expect(page.locator(".op-added .kind")).to_have_text("tool")
    expect(page.locator(".sides thead")).to_contain_text("version 1")
    assert faults(page) == []


def test_a_run_is_exported_as_a_file_that_prints_whole(
    page: Page, service: RunningSpanloom, runs: PageRuns, tmp_path: Path
) -> None:
    open_run(page, service, runs.failing)
    page.get_by_role("button", name="Export…").click()
    dialog = page.get_by_role("dialog", name="Export")
    dialog.get_by_role("radio", name="html").check()
    with page.expect_download() as waited:
        dialog.get_by_role("button", name="Save file").click()
    saved = tmp_path / waited.value.suggested_filename
    waited.value.save_as(saved)
    assert saved.name == f"{runs.failing}.html"
    page.goto(saved.as_uri())
    closed = page.locator("details:not([open]) .text").last
    expect(page.get_by_role("heading", level=1)).to_have_text("forecaster")
    expect(closed).not_to_be_visible()
    page.emulate_media(media="print")
    expect(closed).to_be_visible()
    page.emulate_media(media="screen")
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    assert page.locator("img, script, [onerror]").count() == 0
    assert faults(page) == []


def test_a_dataset_is_made_of_runs_and_says_what_it_skips(
    page: Page, service: RunningSpanloom, runs: PageRuns, tmp_path: Path
) -> None:
    page.goto(f"{service.api}/?where=agent+%3D+%22weatherman%22")
    page.get_by_role("checkbox", name="Select forecaster").first.check()
    page.keyboard.press("D")
    dialog = page.get_by_role("dialog", name="Create a dataset")
    expect(dialog).to_contain_text("1 is skipped")
    expect(dialog).to_contain_text("no input was reported")
    idle = dialog.get_by_role("button", name="Save file")
    expect(idle).to_be_disabled()
    expect(idle).to_have_css("background-color", "rgb(255, 255, 255)")
    page.keyboard.press("Escape")
    open_run(page, service, runs.failing)
    page.locator(f"{ROWS}.k-model").click()
    expect(page.locator(".step-head.k-model")).to_be_visible()  # after the panel of the error
    page.locator(".step").get_by_role("button", name="Dataset").click()
    expect(dialog.get_by_role("status")).to_have_text("1 row would be written")
    expect(dialog).to_contain_text("I cannot tell.")
    assert faults(page) == []
    dialog.get_by_label("Name of the dataset").fill("dry ../towns")
    with page.expect_download() as waited:
        dialog.get_by_role("button", name="Save file").click()
    saved = tmp_path / "rows"
    waited.value.save_as(saved)
    assert waited.value.suggested_filename == "dry-..-towns.jsonl"
    row = json.loads(saved.read_text())
    assert row["item_key"] == f"{runs.failing}/{row['source']['step_id']}"
    assert "I cannot tell." in row["expected"]["response"]
    assert row["source"]["version"] >= 1
