"""The minified page of a built wheel has the imports and exports of the source, and works."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect
from tests.support.annotated_page import ROWS
from tests.support.page_modules import Modules
from tests.support.served_page import make_run, serve_page

from spanloom.viewer.site import Site, imported_by, own_site

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
EXPORTS = """
const all = await Promise.all(a[0].map((name) => import(url.replace("format.js", name))));
return all.map((module) => Object.keys(module).sort());
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The page's files in a built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder)
    return Site(folder / "spanloom/viewer/static")


@pytest.fixture
def run(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a run, on the page of the built wheel."""
    monkeypatch.setattr("spanloom.process.page.own_site", lambda: site)
    with serve_page(make_run(60), talk=3) as address:
        yield address


def test_modules_import_and_export_what_was_written(
    site: Site, run: str, modules: Modules, page: Page
) -> None:
    names = [name for name in site.contents if name.endswith(".js")]
    written = own_site().contents
    assert sorted(site.contents) == sorted(written)
    for name in names:
        found = imported_by(name, site.contents[name].decode())
        assert set(found) == set(imported_by(name, written[name].decode())), name
    drawing = ("app.js", "pages/")  # modules that start when they are loaded
    callable_ = [name for name in names if not name.startswith(drawing) and "worker" not in name]
    page.goto(run)
    base = re.findall(r'src="(/ui/\w+)/app.js"', page.content())[0]
    built = Modules(page, run[: run.index("/trajectories")] + base)
    told = built.call("format.js", EXPORTS, callable_)
    assert told == modules.call("format.js", EXPORTS, callable_)


def test_a_run_is_drawn_and_a_step_opened(run: str, page: Page) -> None:
    page.goto(run)
    rows = page.locator(ROWS)
    expect(rows.first).to_contain_text("travel_assistant")
    rows.nth(3).click()
    expect(page.locator(".step")).to_contain_text("what was said")
    page.goto(run[: run.index("/trajectories")] + "/conversation?id=talk")
    expect(page.get_by_text("It is 2.")).to_be_visible()
