"""What the tests of the page share: a browser, and a page that takes nothing lightly."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright
from tests.conftest import _starter
from tests.support.annotated_page import call, send_many_steps
from tests.support.annotated_runs import SEED
from tests.support.browser import NO_BROWSER, Watch, launch, lightest_browser
from tests.support.long_runs import send_deep_run
from tests.support.page_modules import Modules
from tests.support.page_runs import PageRuns, send_many, send_page_runs, start_quick
from tests.support.reused_page import ReusedPage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page, Playwright
    from tests.conftest import RunningSpanloom


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, with the reason, where there is no browser."""
    if lightest_browser() is None:
        for item in items:
            if "/tests/browser/" in str(item.path):
                item.add_marker(pytest.mark.skip(reason=NO_BROWSER))


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """One driver for the folder: its event loop must not outlive it among other tests."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One browser for the folder."""
    opened = launch(playwright, lightest_browser())
    yield opened
    opened.close()


@pytest.fixture(scope="package")
def service(
    tmp_path_factory: pytest.TempPathFactory, made_store: Path
) -> Iterator[RunningSpanloom]:
    """One service for the folder, with runs of many tests; who counts all defines another."""
    with contextmanager(_starter)(tmp_path_factory.mktemp("page"), made_store) as start:
        running = start_quick(start)
        call(running, "PUT", "/v1/schemes/step_evaluation", {"text": SEED})
        yield running


@pytest.fixture(scope="package")
def runs(service: RunningSpanloom) -> PageRuns:
    """Runs that tests only read."""
    return send_page_runs(service)


@pytest.fixture(scope="package")
def deep(service: RunningSpanloom) -> str:
    """A run of 2,000 steps, one of which fails deep inside."""
    return send_deep_run(service)


@pytest.fixture(scope="package")
def long_list(service: RunningSpanloom) -> None:
    """Send so many runs that the list is scrolled and printed on several pages."""
    send_many(service, 40)


@pytest.fixture(scope="package")
def unused_traces() -> list[str]:
    """What is left of the runs that were sent for ``traces``."""
    return []


@pytest.fixture
def traces(service: RunningSpanloom, unused_traces: list[str]) -> list[str]:
    """At least three runs of three steps that nobody annotated, sent many at once."""
    if len(unused_traces) < 3:
        unused_traces += send_many_steps(service, range(2, 5), 20)
    return unused_traces


@pytest.fixture
def trace(traces: list[str]) -> str:
    """A run of three steps that nobody annotated."""
    return traces.pop()


def new_context(browser: Browser) -> BrowserContext:
    return browser.new_context(
        viewport={"width": 1440, "height": 900}, locale="en-GB", reduced_motion="reduce"
    )


@pytest.fixture(scope="package")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One context for the folder: in a new one each page loads and compiles all scripts again."""
    opened = new_context(browser)
    yield opened
    opened.close()


@pytest.fixture(scope="package")
def reused(context: BrowserContext) -> ReusedPage:
    """The page of all tests that leave nothing in it."""
    return ReusedPage(context)


@pytest.fixture
def page(reused: ReusedPage) -> Iterator[Page]:
    """A page with nothing stored; whatever it complained about fails the test."""
    opened, watch = reused.lend()
    yield opened
    reused.take_back()
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
    """What the page's modules export, called on an open page, which follows all that comes in."""
    page = browser.new_page()
    page.goto(service.api)
    found = re.search(r'src="(/ui/\w+)/app.js"', page.content())
    assert found
    yield Modules(page, service.api + found[1])
    page.close()
