"""The main pages have their golden accessibility trees in a browser."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from tests.support.browser import NO_BROWSER, WAIT_MS, lightest_browser, open_browser
from tests.support.command_output import NOW_NS
from tests.support.golden_store import RUN, SCHEME, TALK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import BrowserContext, Page
    from tests.support.golden_store import GoldenService
    from tests.support.goldens import Goldens

pytestmark = pytest.mark.skipif(lightest_browser() is None, reason=NO_BROWSER)

STEADY_MS = 2_000
"""A page is recorded once it has not changed for this long."""
LOOK_MS = 100
AS_ADA = "localStorage.setItem('spanloom.annotator', '\"ada\"')"
PAGES = {
    "list": "/",
    "run": "/trajectories/{handoff_team}",
    "conversation": f"/conversation?id={quote(TALK, safe='')}",
    "annotation": f"/trajectories/{RUN}?annotate={SCHEME}",
}


@pytest.fixture(scope="module")
def context() -> Iterator[BrowserContext]:
    """Yield a browser context whose size, language, time zone and annotator are always the same."""
    with open_browser(lightest_browser()) as browser:
        size = {"width": 1440, "height": 900}
        opened = browser.new_context(
            viewport=size,  # type: ignore[arg-type]  # a typed dict
            locale="en-GB",
            timezone_id="UTC",
            reduced_motion="reduce",
        )
        opened.add_init_script(AS_ADA)
        yield opened


@pytest.mark.parametrize("name", PAGES)
def test_page(
    name: str, context: BrowserContext, golden_service: GoldenService, goldens: Goldens
) -> None:
    page = context.new_page()
    page.clock.set_fixed_time(NOW_NS / 1e6)
    page.goto(golden_service.api + PAGES[name].format(**golden_service.runs))
    file = f"pages/{name}.txt"
    goldens.check(file, _tree(page, goldens.read(file)))
    page.close()


def test_no_file_is_stale(goldens: Goldens) -> None:
    goldens.check_folder("pages", (f"{name}.txt" for name in PAGES))


def _tree(page: Page, golden: str) -> str:
    """Return the page's accessibility tree once it equals the golden one or stops changing."""
    until = time.monotonic() + WAIT_MS / 1_000
    tree, since = "", time.monotonic()
    while time.monotonic() < until:
        now = page.locator("body").aria_snapshot() + "\n"
        if now != tree:
            tree, since = now, time.monotonic()
        if tree == golden or (not golden and time.monotonic() - since > STEADY_MS / 1_000):
            break
        page.wait_for_timeout(LOOK_MS)
    return tree
