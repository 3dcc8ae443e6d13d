"""A run or conversation becomes one HTML file that escapes texts and reports what it omits."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.listed_runs import listed_run

from spanloom.core.formats.schema import canonical_example
from spanloom.core.model.span import TraceKey
from spanloom.core.showing.html import steps
from spanloom.core.showing.html.page import POLICY, begin, finish, run_page, write_run
from spanloom.core.showing.html.steps import Room

if TYPE_CHECKING:
    from spanloom.core.query.lists import ListedRun

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</title></style></summary></details></main><svg onload=alert(1)>",
    '" onmouseover="alert(1)',
    "safe\u202egnp.exe\u200b\x00\x1b[31m",
    "[x](javascript:alert(1)) &lt;b&gt; &#x3c;",
)
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "bdi", "dl"),
    *("div", "dt", "dd", "ul", "li", "details", "summary", "b", "small", "code", "p"),
}


class Seen(HTMLParser):
    """The tags, attributes and text that a browser would find in a page."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.deepest = self.level = 0
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.level += tag == "details"
        self.deepest = max(self.deepest, self.level)

    def handle_endtag(self, tag: str) -> None:
        self.level -= tag == "details"

    def handle_data(self, data: str) -> None:
        self.text += data


def run_of(count: int, *, is_chain: bool = False, text: str = "") -> bytes:
    """Return a run with ``count`` tools, side by side or each below the previous one."""
    run: dict[str, Any] = dict(canonical_example())
    agent = run["agent_steps"][0]
    tool = agent["steps"][1]
    made = [
        tool
        | {"id": f"{at + 1:016x}", "input": text, "parent_id": f"{at:016x}" if is_chain else ""}
        for at in range(count)
    ]
    run["agent_steps"] = [{**agent, "steps": made}]
    return orjson.dumps(run)


def test_a_page_tells_the_run_and_its_steps() -> None:
    seen = Seen(run_page(orjson.dumps(canonical_example())))
    assert set(seen.tags) <= TAGS
    assert seen.tags.count("details") == 6
    assert seen.level == 0
    for told in ("travel_planner", "heavy rain", "4.50 s", "650 / 260", "40.0%", "100 / 50 tokens"):
        assert told in seen.text


def test_the_policy_allows_its_own_style_and_nothing_else() -> None:
    page = run_page(orjson.dumps(canonical_example())).decode()
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" in POLICY
    assert POLICY.startswith("default-src 'none'")
    assert not re.search(r"<script|\son\w+=|<a |<img|style=|url\(", page)


def hostile_run(text: str) -> bytes:
    """Return a run with the text in every place that a sender can fill."""
    run: dict[str, Any] = dict(canonical_example())
    messages = orjson.dumps([{"role": text, "content": text, "tool_calls": [text, {"x": text}]}])
    error = {"code": 1, "msg": text}
    run["root_step"] = {**run["root_step"], "name": text, "input": messages.decode()}
    steps_of = [
        {**step, "name": text, "input": text, "output": messages.decode()}
        | {"basic_info": {**step["basic_info"], "error": error}}
        for step in run["agent_steps"][0]["steps"]
    ]
    run["agent_steps"] = [{**run["agent_steps"][0], "name": text, "steps": steps_of}]
    run["extraction"] = {**run["extraction"], "warnings": [text]}
    return orjson.dumps(run)


def line_of(at: int, name: str = "planner") -> ListedRun:
    return listed_run(TraceKey("default", f"{at:032x}"), 1_715_400_000_000_000_000, root_name=name)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("is_talk", [False, True])
def test_hostile_texts_stay_texts(text: str, *, is_talk: bool) -> None:
    page = run_page(hostile_run(text))
    if is_talk:
        lines = (hostile_run(text), None)
        runs = (write_run(at, line_of(at, text), one, Room()) for at, one in enumerate(lines, 1))
        page = b"".join((begin(text), *runs, finish(text)))
    seen = Seen(page)
    assert set(seen.tags) <= TAGS
    assert seen.tags.count("h2") == 2 * is_talk
    assert seen.attributes <= {"lang", "charset", "http-equiv", "content", "name", "class"} | {
        "open",
        "dir",
    }
    assert not re.search("[\u202e\u200b\x00\x1b]", seen.text)


def test_runs_of_a_conversation_share_the_room_of_its_file() -> None:
    room = Room()
    pieces = [write_run(at, line_of(at), run_of(3_000), room) for at in (1, 2)]
    shown = [Seen(piece).tags.count("details") for piece in pieces]
    assert shown == [3_001, 1_999]
    assert "Of 3,001 steps the earliest 1,999 are in this file. All are in /v1/" in str(pieces[1])
    assert room.steps == 0
    last = Seen(write_run(3, line_of(3), None, room))
    assert "3. planner" in last.text
    assert f"not in this file. They are in /v1/trajectories/{3:032x}/export.html" in last.text


def test_a_conversation_shows_a_run_as_its_own_file_does() -> None:
    document = orjson.dumps(canonical_example())
    alone = run_page(document).decode()
    inside = alone[alone.index("<dl>") : alone.index("</main>")]
    assert inside in write_run(7, line_of(7), document, Room()).decode()


def test_a_long_run_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Seen(run_page(run_of(6_000)))
    assert seen.tags.count("details") == 5_000
    assert "Of 6,001 steps the earliest 5,000" in seen.text
    monkeypatch.setattr(steps, "MAX_TEXT_BYTES", 100_000)
    page = run_page(run_of(50, text="x" * 100_000))
    assert len(page) < 200_000
    assert "100,000 characters in all" in page.decode()
    assert "Texts are not in this file." in page.decode()


def test_steps_far_below_each_other_stand_beside_each_other() -> None:
    seen = Seen(run_page(run_of(1_500, is_chain=True)))
    assert seen.tags.count("details") == 1_501
    assert seen.deepest <= steps.MAX_LEVELS + 1
    assert seen.level == 0


def test_bytes_and_long_lists_of_messages_are_counted() -> None:
    picture = f"data:image/png;base64,{'A' * 4_000}"
    messages = [{"role": "user", "content": f"m{at}"} for at in range(300)]
    messages.append({"role": "user", "content": picture})
    page = run_page(run_of(1, text=orjson.dumps(messages).decode())).decode()
    assert "AAAA" not in page
    assert "(data, 4,022 characters)" in page
    assert "101 earlier messages" in page
