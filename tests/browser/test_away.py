"""While the service does not answer, every part of the page shows this and tries again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.annotated_page import ROWS, act, annotate, send_steps, step_id, wait_saved
from tests.support.away import AWAY, come_back, leave, prepare, try_again

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom


@pytest.fixture
def page(page: Page) -> Page:
    prepare(page)
    return page


def open_and_leave(page: Page, service: RunningSpanloom, trace: str) -> None:
    """Open a run and wait for its rows; from then on its service does not answer any more."""
    page.goto(f"{service.api}/trajectories/{trace}")
    expect(page.locator(ROWS).first).to_be_visible()
    leave(page)


def test_a_step_that_was_not_told_is_asked_for_again(page: Page, service: RunningSpanloom) -> None:
    trace = send_steps(service, range(2, 8))
    page.goto(f"{service.api}/trajectories/{trace}")
    step, failure = page.locator(".step"), page.locator(".step [role=alert]")
    for at, view in enumerate(("Messages", "Raw", "Parsing")):
        step.get_by_role("button", name=view, exact=True).click()
        expect(step.locator(".side, .attributes").first).to_be_visible()
        leave(page)
        page.locator(ROWS).nth(2 * at + 1).click()
        expect(failure).to_contain_text(AWAY)
        expect(failure).not_to_contain_text("Failed to fetch")
        try_again(failure)
        expect(step.locator(".side, .attributes").first).to_be_visible()
        expect(failure).to_have_count(0)
        leave(page)
        page.locator(ROWS).nth(2 * at + 2).click()
        expect(failure).to_contain_text(AWAY)
        come_back(page)
        page.evaluate("dispatchEvent(new Event('online'))")
        expect(step.locator(".side, .attributes").first).to_be_visible()
        expect(failure).to_have_count(0)


@pytest.mark.nightly
def test_a_step_comes_when_what_was_said_is_stored_at_last(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    annotate(page, service, trace)
    expect(page.locator(".step .side").first).to_be_visible()
    leave(page)
    act(page, "1")
    expect(page.locator(".chosen [role=alert]")).to_contain_text(AWAY)
    come_back(page)
    wait_saved(page)
    expect(page.locator(".step .side").first).to_be_visible()
    expect(page.locator(".step .ids code").first).to_have_text(step_id(3))


def test_a_graph_and_a_panel_that_were_opened_offline_come(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    page.route("**/annotate/panel.js", lambda route: route.abort())
    page.goto(f"{service.api}/trajectories/{trace}?graph=calls")
    expect(page.locator(".step .side").first).to_be_visible()
    page.context.set_offline(True)
    page.get_by_role("button", name="Graph").click()
    page.get_by_role("button", name="Annotate").click()
    expect(page.locator("aside > [role=alert]")).to_contain_text(AWAY)
    failure = page.locator(".left [role=alert]")
    expect(failure).to_contain_text(AWAY)
    expect(failure.get_by_role("button", name="Try again")).to_be_visible()
    page.unroute("**/annotate/panel.js")
    page.context.set_offline(False)  # fires the event `online`
    expect(page.locator(".node")).to_have_count(4)
    expect(page.locator(".annotate .name-form")).to_be_visible()


@pytest.mark.nightly
def test_a_graph_and_a_panel_whose_service_was_away_come(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    open_and_leave(page, service, trace)
    page.get_by_role("button", name="Annotate").click()
    expect(page.locator(".annotate [role=alert]")).to_contain_text(AWAY)
    page.get_by_role("button", name="Graph").click()
    page.get_by_role("button", name="Each call").click()
    failure = page.locator(".left [role=alert]")
    expect(failure).to_contain_text("Is spanloom serve still running")
    try_again(failure)
    expect(page.locator(".node")).to_have_count(4)
    expect(page.locator(".annotate .name-form")).to_be_visible()


@pytest.mark.nightly
def test_texts_that_could_not_be_searched_are_no_misses(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    open_and_leave(page, service, trace)
    page.get_by_label("Search steps").fill("answer 3")
    told = page.locator(".find [role=status]")
    expect(told).to_have_text("0 hits · texts could not be searched")
    come_back(page)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(told).to_have_text("1 hit")


@pytest.mark.nightly
def test_a_transcript_that_was_not_told_is_no_empty_one(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    open_and_leave(page, service, trace)
    page.get_by_role("button", name="Transcript").click()
    failure = page.locator(".left [role=alert]")
    expect(failure).to_contain_text(AWAY)
    try_again(failure)
    expect(page.locator(".entry")).to_have_count(4)
