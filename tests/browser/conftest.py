"""Fixtures of the browser tests: a browser, and a page whose errors fail the test."""

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
    """Skip the browser tests, with a reason, if no browser is installed."""
    if lightest_browser() is None:
        for item in items:
            if "/tests/browser/" in str(item.path):
                item.add_marker(pytest.mark.skip(reason=NO_BROWSER))


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """One Playwright driver for the folder; its event loop must not run during other tests."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One browser for all tests of the folder."""
    opened = launch(playwright, lightest_browser())
    yield opened
    opened.close()


@pytest.fixture(scope="package")
def service(
    tmp_path_factory: pytest.TempPathFactory, made_store: Path
) -> Iterator[RunningSpanloom]:
    """One service for the folder with runs of many tests; tests that count runs start another."""
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
    """Send enough runs that the list has to be scrolled and is printed on several pages."""
    send_many(service, 40)


@pytest.fixture(scope="package")
def unused_traces() -> list[str]:
    """Trace ids of runs that were sent for ``traces`` and that no test has used yet."""
    return []


@pytest.fixture
def traces(service: RunningSpanloom, unused_traces: list[str]) -> list[str]:
    """Trace ids of at least three unannotated runs of three steps each, sent 20 at a time."""
    if len(unused_traces) < 3:
        unused_traces += send_many_steps(service, range(2, 5), 20)
    return unused_traces


@pytest.fixture
def trace(traces: list[str]) -> str:
    """The trace id of an unannotated run of three steps."""
    return traces.pop()


def new_context(browser: Browser) -> BrowserContext:
    return browser.new_context(
        viewport={"width": 1440, "height": 900}, locale="en-GB", reduced_motion="reduce"
    )


@pytest.fixture(scope="package")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One context for the folder: pages of a new one load and compile all scripts again."""
    opened = new_context(browser)
    yield opened
    opened.close()


@pytest.fixture(scope="package")
def reused(context: BrowserContext) -> ReusedPage:
    """The page that is reused by all tests that leave nothing in it."""
    return ReusedPage(context)


@pytest.fixture
def page(reused: ReusedPage) -> Iterator[Page]:
    """A page without stored data; errors and violations of its policy fail the test."""
    opened, watch = reused.lend()
    yield opened
    reused.take_back()
    assert watch.faults == []


@pytest.fixture
def page_with_a_clock(browser: Browser) -> Iterator[Page]:
    """A page in a context of its own, because a clock that a test sets stays set in the context."""
    context = new_context(browser)
    opened = context.new_page()
    watch = Watch(opened)
    yield opened
    context.close()
    assert watch.faults == []


@pytest.fixture(scope="module")
def modules(browser: Browser, service: RunningSpanloom) -> Iterator[Modules]:
    """The exports of the page's modules, called on an open page that follows the change feed."""
    page = browser.new_page()
    page.goto(service.api)
    found = re.search(r'src="(/ui/\w+)/app.js"', page.content())
    assert found
    yield Modules(page, service.api + found[1])
    page.close()
