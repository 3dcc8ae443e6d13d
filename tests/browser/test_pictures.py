"""The page looks as before: light, dark and Chinese screenshots equal the stored pictures.

``RENEW_PICTURES=1 pytest tests/browser/test_pictures.py`` renews all of them, and those of the
documentation. Look at them before you commit them.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.browser import NO_CHROMIUM, chromium, launch
from tests.support.examples import some_every_day
from tests.support.ground_truth import all_captures
from tests.support.pictures import (
    LOOKS,
    MOST_DIFFERENT,
    PAGES,
    PICTURES,
    Look,
    Runs,
    compare,
    looking,
    picture,
    send_pictured_runs,
    show_annotation,
    show_list,
    show_run,
)
from tests.support.sent_captures import send as send_capture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page, Playwright
    from tests.conftest import StartSpanloom

ONE_VERSION = {"SPANLOOM_ROOT_QUIET_S": "0.3", "SPANLOOM_GROWING_FIRST_S": "600"}
"""Settings that show a run only once it has settled, so that each run has only version 1."""
IS_RENEWING = bool(os.environ.get("RENEW_PICTURES"))
PATIENCE_S = 10.0
DOCS = Path(__file__).parents[2] / "docs/pictures"
MADE_BY = PICTURES / "chromium.txt"
"""Names the major version of the browser that made them; others draw letters differently."""


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The browser that people use, because the lightest one draws edges of letters differently."""
    if chromium() is None:
        pytest.skip(NO_CHROMIUM)
    opened = launch(playwright)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def runs(start_shared_spanloom: StartSpanloom) -> Runs:
    service = start_shared_spanloom(env=ONE_VERSION)
    service.wait_until_ready()
    return send_pictured_runs(service)


def skip_unless_made_by(browser: Browser) -> None:
    """Skip, with a reason, if the stored pictures were made by another version of the browser."""
    major, made_by = browser.version.split(".")[0], MADE_BY.read_text().strip()
    if major != made_by:
        pytest.skip(f"the pictures are Chromium {made_by}'s, and this is {major}")


@pytest.mark.parametrize("look", some_every_day(LOOKS))
def test_it_looks_as_it_did(browser: Browser, runs: Runs, look: str, tmp_path: Path) -> None:
    if not IS_RENEWING:
        skip_unless_made_by(browser)
    with looking(browser, LOOKS[look]) as page:
        for name, show in PAGES.items():
            show(page, runs)
            if IS_RENEWING:
                (PICTURES / f"{name}-{look}.png").write_bytes(picture(page))
                MADE_BY.write_text(browser.version.split(".")[0] + "\n")
            else:
                check_picture(page, PICTURES / f"{name}-{look}.png", tmp_path)


def check_picture(page: Page, kept: Path, place: Path) -> None:
    """Compare the page with a stored picture; write its picture and the difference to ``place``."""
    seen = picture(page)
    found = compare(page, kept.read_bytes(), seen)
    until = time.monotonic() + PATIENCE_S
    while found.share > MOST_DIFFERENT and time.monotonic() < until:  # on a slow machine
        seen = picture(page)
        found = compare(page, kept.read_bytes(), seen)
    (place / kept.name).write_bytes(seen)
    (place / f"difference-{kept.name}").write_bytes(found.shown)
    assert found.share <= MOST_DIFFERENT, (
        f"{found.share:.2%} differs: {place} has what was seen, and where it is not {kept}"
    )


def at_rest(page: Page) -> bytes:
    """Return a picture that equals the next one, because parts appear late on a slow machine."""
    before, until = picture(page), time.monotonic() + PATIENCE_S
    while compare(page, before, now := picture(page)).share:
        assert time.monotonic() < until, "the page does not come to rest"
        before = now
    return before


def test_a_picture_that_changed_is_refused(browser: Browser, runs: Runs) -> None:
    with looking(browser, Look()) as page:
        show_list(page, runs)
        before = at_rest(page)
        page.evaluate("document.querySelector('table.runs td a').textContent = 'something else'")
        assert compare(page, before, picture(page)).share > 0
        page.evaluate("document.querySelector('table.runs').style.marginTop = '3px'")
        assert compare(page, before, picture(page)).share > MOST_DIFFERENT


@pytest.mark.nightly
def test_a_selection_that_is_not_shown_any_more_is_seen(browser: Browser, runs: Runs) -> None:
    with looking(browser, Look()) as page:
        show_run(page, runs)
        before = picture(page)
        page.evaluate("document.documentElement.style.setProperty('--selected', 'var(--page)')")
        assert compare(page, before, picture(page)).share > MOST_DIFFERENT


def show_graph(page: Page, runs: Runs) -> None:
    page.goto(f"{runs.api}/trajectories/{runs.team}?view=graph&graph=calls")
    page.locator(".node").nth(3).wait_for()


SHOWN: dict[str, tuple[Callable[[Page, Runs], None], Look]] = {
    "list": (show_list, Look()),
    "run": (show_run, Look()),
    "annotation": (show_annotation, Look()),
    "graph": (show_graph, Look(scheme="dark")),
}


@pytest.fixture(scope="module")
def many(start_shared_spanloom: StartSpanloom, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """A service that also has captured runs of many frameworks, so that its list is realistic."""
    place = tmp_path_factory.mktemp("many")
    service = start_shared_spanloom(data_dir=place, env=ONE_VERSION)
    service.wait_until_ready()
    for capture in all_captures()[::9][:20]:
        send_capture(service, capture)
    return send_pictured_runs(service)


@pytest.mark.skipif(not IS_RENEWING, reason="with RENEW_PICTURES=1: for people, not compared")
@pytest.mark.parametrize("name", SHOWN)
def test_pictures_of_the_documentation(browser: Browser, many: Runs, name: str) -> None:
    show, look = SHOWN[name]
    with looking(browser, look, 1500 if name == "graph" else 1280, 760) as page:
        show(page, many)
        (DOCS / f"{name}.png").write_bytes(picture(page))
