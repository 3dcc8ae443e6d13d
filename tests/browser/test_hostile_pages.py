"""Markup in models' answers, span names and annotations stays text on every page.

A violation of the page's policy fails the test, and any event handler in markup would be one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from tests.support.annotated_page import call
from tests.support.page_runs import MARKUP, TALK, PageRuns, send_page_runs
from tests.support.reused_page import remember

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom

ALIVE = "img, iframe, object, embed, base, script:not([src]), [onerror], [onload]"
QUEUE = "<img src=x onerror=alert(4)> week 3"
PAGES = {
    "list": ('/?where=trace_id = "{hostile}"', MARKUP),
    "list by question": (f"/?where={quote(f'agent ~ {MARKUP[:20]!r}')}", "img src=x"),
    "annotations": ("/trajectories/{hostile}?annotate=potato", MARKUP),
    "in a queue": (f"/trajectories/{{hostile}}?queue={quote(QUEUE)}", "Judge <b>every</b>"),
    "diff": ("/diff?a={hostile}&b={team}", MARKUP),
    "conversation": (f"/conversation?id={quote(TALK)}", TALK),
    "queues": ("/queues", QUEUE),
    "queue": (f"/queues?queue={quote(QUEUE)}", MARKUP),
    "adjudication": (
        f"/adjudication?queue={quote(QUEUE)}&scheme=potato&trace={{hostile}}",
        MARKUP,
    ),
}


@pytest.fixture(scope="module")
def runs(service: RunningSpanloom) -> PageRuns:
    """Runs with markup in all their texts, annotated with markup by annotators with such names."""
    sent = send_page_runs(service)
    queue = {"scheme": "potato", "annotators": ["bo", "<u>cy"], "trace_ids": [sent.hostile]}
    queue["instructions"] = f"Judge <b>every</b> step. {MARKUP}"
    call(service, "PUT", f"/v1/queues/{quote(QUEUE)}", queue)
    marks = [
        {"write_id": f"hostile-{n}", "step_id": f"{n:016x}", "correctness": "incorrect"}
        | {"rationale": MARKUP}
        for n in (2, 3)
    ]
    path = f"/v1/trajectories/{sent.hostile}/annotations"
    call(service, "POST", path, {"scheme": "potato", "items": marks}, "bo")
    call(service, "POST", path, {"scheme": "potato", "items": marks[1:]}, "cy")
    return sent


@pytest.mark.parametrize("name", PAGES)
def test_markup_stays_text(page: Page, service: RunningSpanloom, runs: PageRuns, name: str) -> None:
    path, shown = PAGES[name]
    remember(page, service.api, "annotator", "ada <s>")
    page.goto(service.api + path.format(**runs._asdict()))
    check_texts(page, shown)


def check_texts(page: Page, shown: str) -> None:
    """Wait until a text is shown and later ones have arrived; check that no markup has effects."""
    expect(page.locator("body")).to_contain_text(shown)
    page.wait_for_timeout(300)
    assert page.locator(ALIVE).count() == 0
    assert page.locator('a[href^="javascript"], a[href^="data"]').count() == 0


def test_markup_stays_text_in_all_views_of_a_run(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    page.goto(f"{service.api}/trajectories/{runs.hostile}")
    check_texts(page, MARKUP)
    page.get_by_role("treegrid").focus()
    page.keyboard.press("o")
    page.wait_for_url("**frames=1*")
    check_texts(page, MARKUP)
    page.get_by_role("button", name="Graph").click()
    expect(page.locator(".node").first).to_contain_text("<img src=x")
    check_texts(page, "<img src=x")
    page.get_by_role("button", name="Transcript").click()
    expect(page.locator(".entry").nth(1)).to_contain_text(MARKUP)
    check_texts(page, MARKUP)


def test_markup_of_a_step_stays_text(page: Page, service: RunningSpanloom, runs: PageRuns) -> None:
    page.goto(f"{service.api}/trajectories/{runs.hostile}?step={2:016x}")
    step = page.locator(".step")
    for tab in ("Messages", "Markdown", "Text", "JSON", "Raw", "Parsing"):
        step.get_by_role("button", name=tab, exact=True).click()
        expect(step.locator(".step-body")).to_contain_text("onerror=alert(1)")
        assert page.locator(ALIVE).count() == 0
