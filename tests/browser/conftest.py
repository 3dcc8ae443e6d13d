"""What the tests of the page share: a browser, and a page that takes nothing lightly."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.support.annotated_page import call, send_steps
from tests.support.annotated_runs import SEED
from tests.support.browser import NO_BROWSER, Watch, lightest_browser, open_browser
from tests.support.page_modules import Modules
from tests.support.page_runs import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page
    from tests.conftest import RunningSpanloom, StartSpanloom


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, with the reason, where there is no browser."""
    if lightest_browser() is None:
        for item in items:
            if "/tests/browser/" in str(item.path):
                item.add_marker(pytest.mark.skip(reason=NO_BROWSER))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for a module: its event loop must not outlive it among other tests."""
    with open_browser(lightest_browser()) as opened:
        yield opened


@pytest.fixture(scope="module")
def service(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    """A service in which runs settle at once; a module that needs another defines its own."""
    running = start_shared_spanloom(env={"SPANLOOM_ROOT_QUIET_S": "0.3"})
    running.wait_until_ready()
    return running


@pytest.fixture(scope="module")
def traces(service: RunningSpanloom) -> list[str]:
    """Runs of three steps, sent at once, one for each test that takes one."""
    call(service, "PUT", "/v1/schemes/step_evaluation", {"text": SEED})
    sent = [send_steps(service, range(2, 5), is_waiting=False) for _ in range(10)]
    for each in sent:
        wait_for(service.api, each)
    return sent


@pytest.fixture
def trace(traces: list[str]) -> str:
    """A run of three steps that nobody annotated."""
    return traces.pop()


def new_context(browser: Browser) -> BrowserContext:
    return browser.new_context(
        viewport={"width": 1440, "height": 900}, locale="en-GB", reduced_motion="reduce"
    )


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One context for a module: in a new one each page loads and compiles all scripts again."""
    opened = new_context(browser)
    opened.new_page()  # stays, and with it the process that all pages share
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page of its own with nothing stored; whatever it complained about fails the test."""
    opened = context.new_page()
    watch = Watch(opened)
    yield opened
    watch.forget()
    assert watch.faults == []


@pytest.fixture
def page_with_a_clock(browser: Browser) -> Iterator[Page]:
    """A page in a context of its own, as a clock that is set stays set in its context."""
    context = new_context(browser)
    opened = context.new_page()
    watch = Watch(opened)
    yield opened
    context.close()
    assert watch.faults == []


@pytest.fixture(scope="module")
def modules(browser: Browser, service: RunningSpanloom) -> Iterator[Modules]:
    """What the page's modules export, called on an open page."""
    page = browser.new_page()
    page.goto(service.api)
    found = re.search(r'src="(/ui/\w+)/app.js"', page.content())
    assert found
    yield Modules(page, service.api + found[1])
    page.close()
