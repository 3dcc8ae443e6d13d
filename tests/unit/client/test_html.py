"""HTML for notebooks: without active content, bounded in size, and well-formed."""

from __future__ import annotations

import html
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.client.found import RunList
from spanloom.client.html import MAX_BYTES, tree_html
from spanloom.client.models import Trajectory
from spanloom.core.formats.schema import canonical_example

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.unit.client.conftest import World

    from spanloom import Client

OURS = {"div", "i", "b", "span", "pre", "table", "tr", "th", "td", "details", "summary"}
HOSTILE = (
    "<script>alert(1)</script>",
    "</pre></details><img src=x onerror=alert(1)>",
    "\" onmouseover='alert(1)' x=\"",
    "<style>*{display:none}</style><a href='//elsewhere'>x</a>",
    "&lt;script&gt; &#60;b&#62; {0} %s",
    "\x1b[31m\u202e\u2066\x00\r\n\u2028",
    "退款" * 2_000,
    '"' * 5_000,
    "\n" * 5_000,
)


class Reader(HTMLParser):
    """A reader of HTML that is stricter than browsers: tags have to be closed, and in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.said = ""
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        assert not any("url" in (value or "") for _, value in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said += data

    def assert_harmless(self) -> None:
        assert set(self.tags) <= OURS
        assert self.attributes <= {"style", "open", "cellpadding"}
        assert not {"\x1b", "\u202e", "\u2066", "\x00"} & set(self.said)


def run_saying(text: str, steps: int = 3, depth: int = 1) -> dict[str, Any]:
    """Return a document in which every text is ``text``."""
    document: dict[str, Any] = orjson.loads(orjson.dumps(canonical_example()))
    agent = document["agent_steps"][0]
    model = next(step for step in agent["steps"] if step["type"] == "model")
    made: list[dict[str, Any]] = []
    for at in range(steps):
        above = made[-1]["id"] if made and at % depth else agent["id"]
        made.append({**model, "id": f"{at + 100:016x}", "parent_id": above, **saying(text)})
        made[-1]["metadata"] = {"model": text}
        made[-1]["basic_info"] = {**model["basic_info"], "error": {"code": -1, "msg": text}}
    document["root_step"] |= saying(text)
    document["agent_steps"] = [{**agent, **saying(text), "steps": made}]
    return document


def saying(text: str) -> dict[str, str]:
    return dict.fromkeys(("name", "input", "output"), text)


def list_saying(world: World, client: Client, text: str, count: int) -> RunList:
    world.write(1)
    (run,) = client.trajectories()
    names = dict.fromkeys(("root_name", "question", "answer", "trace_id"), text)
    return RunList([run.model_copy(update=names)] * count)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_recorded_text_is_inert(world: World, client: Client, text: str) -> None:
    shown = Trajectory.model_validate(run_saying(text))._repr_html_()
    for page in (shown, list_saying(world, client, text, 3)._repr_html_()):
        Reader(page).assert_harmless()
        assert len(page.encode()) <= MAX_BYTES


@given(st.text())
def test_any_text_is_inert(text: str) -> None:
    Reader(tree_html(run_saying(text, steps=1))).assert_harmless()


def test_a_script_is_shown_as_the_text_that_it_is() -> None:
    page = tree_html(run_saying(HOSTILE[0]))
    assert HOSTILE[0] in Reader(page).said
    assert html.escape(HOSTILE[0]) in page
    assert "<script" not in page


@pytest.mark.parametrize(("steps", "depth"), [(199, 1), (5_000, 1), (5_000, 5_000), (300, 7)])
def test_a_tree_has_200_steps_at_the_most(steps: int, depth: int) -> None:
    page = tree_html(run_saying("x", steps, depth))
    read = Reader(page)
    read.assert_harmless()
    assert read.tags.count("details") == 200
    assert f"the first 200 of {steps + 1:,} steps" in read.said or steps == 199
    assert len(page.encode()) <= MAX_BYTES


def test_a_tree_of_long_texts_is_cut_before_100_kilobytes() -> None:
    page = tree_html(run_saying("退" * 9_000, steps=100))
    assert 5 < Reader(page).tags.count("details") < 101
    assert MAX_BYTES * 0.9 < len(page.encode()) <= MAX_BYTES
    assert "of 101 steps" in page


def test_steps_stand_inside_each_other() -> None:
    page = tree_html(run_saying("x", steps=6, depth=3))
    depths: Sequence[int] = nesting(page)
    assert depths == [1, 2, 3, 4, 2, 3, 4]


def nesting(page: str) -> list[int]:
    depths: list[int] = []

    class Nesting(HTMLParser):
        depth = 0

        def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
            if tag == "details":
                self.depth += 1
                depths.append(self.depth)

        def handle_endtag(self, tag: str) -> None:
            self.depth -= tag == "details"

    Nesting().feed(page)
    return depths


def test_a_list_has_200_rows_at_the_most_and_says_so(world: World, client: Client) -> None:
    whole = Reader(list_saying(world, client, "x", 200)._repr_html_())
    assert (whole.tags.count("tr"), "there are more" in whole.said) == (201, False)
    cut = Reader(RunList(list_saying(world, client, "x", 201))._repr_html_())
    assert (cut.tags.count("tr"), "the first 200 runs; there are more" in cut.said) == (201, True)
    assert "no runs" in RunList([])._repr_html_()


def test_a_list_that_was_not_read_reads_what_it_shows(world: World, client: Client) -> None:
    for n in range(1, 4):
        world.write(n)
    read = Reader(client.trajectories()._repr_html_())
    assert read.tags.count("tr") == 4
    assert f"{3:032x}" in read.said
