"""The page is served with its policy and caching, and names every module that it needs."""

from __future__ import annotations

import posixpath
import re
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastapi import FastAPI
from hatch_build import STATIC, write_minified
from starlette.testclient import TestClient
from tests.unit.viewer.test_words import ASKED, TEXT

from spanloom.demo.examples import MARKS
from spanloom.process.page import open_page, page_router
from spanloom.recipes import read_frameworks, recipe_as_json
from spanloom.viewer.site import PAGES, POLICY, STYLES, Site, imported_by, needed_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

BEFORE_LIST, BEFORE_ANY = 60_000, 80_000
"""Compressed bytes that a browser loads before the first row of the list, and of any page."""
LATER = 157_000
"""Compressed bytes that the list and a run's page load beyond that, on demand."""
ALL = 375_000
"""Compressed bytes of the modules and styles of all pages together."""
MOST_MODULES = 46
"""Modules that a browser requests before the first row of any page; each costs time."""
CALLED = re.compile(r'''\bimport\(\s*["'](\.[^"']+)["']\s*\)|new URL\("(\.[^"]+)"''')

COMMENT = re.compile(r"/\*\*.*?\*/", re.DOTALL)
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    app = FastAPI()
    app.include_router(page_router())
    with TestClient(app) as opened:
        yield opened


@pytest.mark.parametrize("path", PAGES)
def test_a_page_names_every_module_that_it_needs(client: TestClient, path: str) -> None:
    page = client.get(path.replace("{trace_id}", "4bf92f3577b34da6a3ce929d0e0e4736"))
    assert page.status_code == 200
    assert page.headers["cache-control"] == "no-cache"
    assert page.headers["content-security-policy"] == POLICY
    named = set(re.findall(r'(?:href|src)="([^"]+)"', page.text))
    told = set(re.findall(r'modulepreload" href="/ui/\w+/([^"]+)"', page.text))
    assert {"app.js", PAGES[path], "vendor/preact.js"} <= told
    for address in named:
        answer = client.get(address)
        assert answer.status_code == 200, address
        for name in imported_by(address.split("/", 3)[3], answer.text):
            assert name in told or "import(" not in answer.text, name


def test_a_wrong_address_is_a_page_for_a_browser_alone(client: TestClient) -> None:
    browser = {"accept": "text/html,application/xhtml+xml"}
    for path in ("/nonsense", "/overview/", "/trajectories", "/steps/x"):
        page = client.get(path, headers=browser)
        assert page.status_code == 404
        assert "pages/nowhere.js" in page.text
        assert page.headers["content-security-policy"] == POLICY
    for path, headers in (("/nonsense", {}), ("/v1/nonsense", browser), ("/ui/x.js", browser)):
        answer = client.get(path, headers=headers)
        assert answer.status_code == 404
        assert "html" not in answer.headers.get("content-type", "")
    assert client.post("/nonsense", headers=browser).status_code == 404


def test_pages_have_no_script_and_no_style_in_their_markup(client: TestClient) -> None:
    text = client.get("/").text
    assert re.findall(r"<script(?![^>]*src=)", text) == []
    assert "style=" not in text
    assert "<style" not in text
    assert "importmap" not in text


def test_a_module_never_changes_under_its_address(client: TestClient) -> None:
    address = re.findall(r'src="(/ui/[^"]+app.js)"', client.get("/").text)[0]
    packed = client.get(address)
    assert packed.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["x-content-type-options"] == "nosniff"
    assert packed.headers["cross-origin-resource-policy"] == "same-origin"
    assert packed.headers["content-type"] == "text/javascript; charset=utf-8"
    plain = client.get(address, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.text == packed.text


def test_recipes_are_those_of_the_shell_without_an_address(client: TestClient) -> None:
    items = client.get("/ui/recipes").json()["items"]
    assert [one["framework"] for one in items] == [one.name for one in read_frameworks()]
    framework = read_frameworks("{endpoint}")[0]
    assert items[0] == recipe_as_json(framework, framework.recipes[0])


def test_example_runs_are_marked_and_end_now(client: TestClient) -> None:
    before_ns = time.time_ns()
    items = client.get("/ui/examples").json()["items"]
    ends = [ends_of(one["resourceSpans"]) for one in items]
    assert before_ns <= max(ends[0]) <= time.time_ns()
    assert ends == sorted(ends, key=max, reverse=True)
    assert len({one["trace_id"] for one in items}) == len(items) >= 7
    for one in items:
        for group in one["resourceSpans"]:
            told = {
                a["key"]: a["value"].get("stringValue") for a in group["resource"]["attributes"]
            }
            assert told.items() >= MARKS.items()


def ends_of(groups: Sequence[dict[str, Any]]) -> list[int]:
    spans = [s for group in groups for scope in group["scopeSpans"] for s in scope["spans"]]
    return [int(span["endTimeUnixNano"]) for span in spans]


@pytest.mark.parametrize(
    "address", ["/ui/0000/app.js", "/ui/{version}/../site.py", "/ui/{version}/none.js"]
)
def test_what_is_not_ours_is_not_found(client: TestClient, address: str) -> None:
    answer = client.get(address.replace("{version}", Site().version))
    assert answer.status_code == 404


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The page's files as a wheel contains them."""
    static = tmp_path_factory.mktemp("static")
    shutil.copytree(ROOT / STATIC, static, dirs_exist_ok=True)
    write_minified(ROOT / STATIC, static)
    return Site(static)


def test_a_wheel_has_modules_without_comments_and_with_licences(built: Site) -> None:
    sent, written = (site.contents["tree/outline.js"] for site in (built, Site()))
    assert b"/**" in written
    assert b"/**" not in sent
    assert len(sent) < len(written) * 0.7
    licensed = [name for name, body in Site().contents.items() if b"/*!" in body]
    assert "vendor/hljs.js" in licensed
    assert [name for name in licensed if b"/*!" not in built.contents[name]] == []


def test_what_loads_before_the_first_row_is_small(built: Site) -> None:
    document = built.contents["index.html"].decode()
    styles = [name for name in built.contents if f"$base/{name}" in document]

    def loaded(page: str) -> int:
        own = [STYLES[page]] if page in STYLES else []
        return weigh(built, {*styles, *own, *needed_by(["app.js", page], built.contents)})

    assert loaded("pages/list.js") < BEFORE_LIST
    assert {page: size for page in PAGES.values() if (size := loaded(page)) > BEFORE_ANY} == {}


def test_a_page_begins_with_few_modules() -> None:
    contents = Site().contents
    counts = {page: len(needed_by(["app.js", page], contents)) for page in PAGES.values()}
    assert {page: count for page, count in counts.items() if count > MOST_MODULES} == {}


def test_what_loads_later_is_counted_whole(built: Site) -> None:
    entries = ["app.js", "pages/list.js", "pages/trajectory.js"]
    later = reached_from(built, entries) - set(needed_by(entries, built.contents))
    assert {
        "vendor/dagre.js",
        "run/transcript.js",
        "annotate/panel.js",
        "style/annotate.css",
    } <= later
    assert weigh(built, later) < LATER
    every = [name for name in built.contents if name.endswith((".js", ".css"))]
    assert weigh(built, every) < ALL


@pytest.mark.parametrize("page", PAGES.values())
def test_a_page_learns_every_word_that_it_asks_for(page: str) -> None:
    """Translations are split, so that a page does not load those of other pages."""
    site = Site()
    reached = reached_from(site, ["app.js", page])
    texts = {name: site.contents[name].decode() for name in reached if name.endswith(".js")}
    words = [text for name, text in texts.items() if name.startswith("i18n/en")]
    known = {key for text in words for key, _ in TEXT.findall(text)}
    asked = {"".join(found) for text in texts.values() for found in ASKED.findall(text)}
    assert asked
    assert asked - known == set()


def reached_from(site: Site, entries: Sequence[str]) -> set[str]:
    """Return the files that a page loads, at once and on demand."""
    reached = set(needed_by(entries, site.contents))
    while found := {called for name in reached for called in called_by(site, name)} - reached:
        modules = [one for one in found if one.endswith(".js")]
        reached |= {*found, *needed_by(modules, site.contents)}
    return reached


def called_by(site: Site, name: str) -> Iterator[str]:
    """Yield the files that a module loads on demand, except the modules of other pages."""
    text = COMMENT.sub("", site.contents[name].decode()) if name.endswith(".js") else ""
    for found in CALLED.findall(text):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), "".join(found)))
        if path not in PAGES.values():
            yield path


def weigh(site: Site, names: Iterable[str]) -> int:
    """Return the total size of the files in bytes, as they are sent."""
    return sum(site.weight(name) for name in names)


def test_imports_are_found_and_calls_are_not() -> None:
    text = (
        'import { a } from "./a.js";\nimport "../b.js";\n'
        'export { c } from "./c/d.js";\nconst later = () => import("./later.js");\n'
        '/** @type {import("./types.js").T} */\nimport d, {\n  e,\n} from "./f.js";\n'
    )
    assert imported_by("x/y.js", text) == ["x/a.js", "b.js", "x/c/d.js", "x/f.js"]


def test_a_browser_that_is_not_there_is_no_error() -> None:
    assert open_page("http://127.0.0.1:1/", open_in=lambda _: True)
    assert not open_page("http://127.0.0.1:1/", open_in=lambda _: False)
