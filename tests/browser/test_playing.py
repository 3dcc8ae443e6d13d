"""One playhead for timeline, tree and graph; idle time cut out, and the critical path."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.axe import serious
from tests.support.long_runs import talk
from tests.support.page_runs import send, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page
    from tests.conftest import RunningSpanloom

ROWS = ".grid .row"


@pytest.fixture(scope="module")
def address(service: RunningSpanloom) -> str:
    """The address of a run of three turns with an idle minute between turns."""
    trace = secrets.token_hex(16)
    send(service, talk(trace))
    wait_for(service.api, trace)
    return f"{service.api}/trajectories/{trace}"


def play(page: Page) -> Locator:
    return page.get_by_role("button", name="Play", exact=True)


def test_the_playhead_goes_from_step_to_step(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(ROWS)).to_have_count(7)
    expect(play(page)).to_be_visible()
    page.keyboard.press(">")
    expect(page.locator(f"{ROWS}.on")).to_contain_text("model")
    expect(page.locator(f"{ROWS}.later")).to_have_count(5)
    page.keyboard.press(">")
    expect(page.locator(f"{ROWS}.later")).to_have_count(4)
    expect(page.locator(".step h2")).to_contain_text("open_letter")
    page.keyboard.press("<")
    expect(page.locator(f"{ROWS}.later")).to_have_count(5)
    page.get_by_role("button", name="Leave the playback").click()
    expect(page.locator(f"{ROWS}.later")).to_have_count(0)
    assert serious(page) == []


@pytest.mark.nightly
def test_who_wants_no_motion_sees_step_after_step(page: Page, address: str) -> None:
    page.goto(f"{address}?view=graph&graph=calls")
    expect(page.locator(".node")).to_have_count(7)
    expect(play(page)).to_be_visible()
    page.keyboard.press("p")
    expect(page.locator(".node.later")).to_have_count(5)
    expect(page.locator(".node.k-tool.running")).to_have_count(1)
    page.get_by_role("button", name="Pause").click()
    assert serious(page) == []


@pytest.mark.nightly
def test_what_is_played_leaves_idle_time_out(page_with_a_clock: Page, address: str) -> None:
    page = page_with_a_clock
    page.emulate_media(reduced_motion="no-preference")
    page.clock.install()
    page.goto(address)
    expect(page.locator(ROWS)).to_have_count(7)
    page.get_by_label("Speed").select_option("64")
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 10)
    play(page).click()
    page.clock.run_for(1_000)  # 200 s with the idle time, which would take 3.1 s at 64x
    expect(page.locator(f"{ROWS}.later")).to_have_count(0)
    expect(play(page)).to_be_visible()


@pytest.mark.nightly
def test_idle_time_and_the_critical_path_are_asked_for(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Cut idle").click()
    page.get_by_role("button", name="Critical path").click()
    page.wait_for_url("**cut=1&critical=1*")
    expect(page.locator(".player")).to_contain_text("up to 2 at once")
    sums = page.locator(".player [role=status]")
    expect(sums).to_contain_text("tool 6.00 s")
    expect(sums).to_have_attribute("title", sums.inner_text())
    page.reload()
    expect(page.get_by_role("button", name="Cut idle")).to_have_attribute("aria-pressed", "true")
