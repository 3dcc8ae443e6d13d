"""Screenshots of the page that are equal on every machine, and their comparison.

Fixed runs, a stopped clock, fonts from ``tests/browser/pictures/font``, no animation. The
browser compares the pixels, so that no PNG library is needed.
"""

from __future__ import annotations

import base64
import random
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import urljoin

import httpx
from tests.support.browser import OF_THE_SITE
from tests.support.long_runs import BEGUN_NS, talk
from tests.support.page_runs import send, wait_for

from spanloom.demo.recording import load_recording, refresh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from playwright.sync_api import Browser, BrowserContext, Page
    from tests.conftest import RunningSpanloom

PICTURES = Path(__file__).parents[1] / "browser/pictures"
MOST_DIFFERENT = 0.001
"""The largest allowed share of differing pixels."""
_TOLERANCE = 10
"""The minimum difference that counts, of 255, per colour: the palest stripe differs by 11."""
_NOW = datetime.fromtimestamp(BEGUN_NS / 1e9 + 3600, UTC)
_TALK = "0123456789abcdef" * 2
_SHOWN_STEP = 4


class Look(NamedTuple):
    """The colour scheme and the language of a page."""

    scheme: str = "light"
    locale: str = "en-GB"


LOOKS: Mapping[str, Look] = {
    "light": Look(),
    "dark": Look(scheme="dark"),
    "chinese": Look(locale="zh-CN"),
}


class Runs(NamedTuple):
    """The runs on the screenshots."""

    api: str
    team: str
    """The recorded run of several agents."""


def send_pictured_runs(service: RunningSpanloom) -> Runs:
    """Send two fixed runs, and annotations of one by two people."""
    end_ns = BEGUN_NS + 30 * 10**9
    recorded = refresh(load_recording(), end_ns, random.Random(7).randbytes)  # no secret
    for request in (*recorded.requests, talk(_TALK)):
        send(service, request)
    for trace in (recorded.trace_id, _TALK):
        wait_for(service.api, trace)
    _annotate(service.api, recorded.trace_id)
    return Runs(service.api, recorded.trace_id)


def _annotate(api: str, trace: str) -> None:
    document = httpx.get(f"{api}/v1/trajectories/{trace}").raise_for_status().json()
    steps = [step["id"] for agent in document["agent_steps"] for step in agent["steps"]]
    for who, wrong in (("ada", 3), ("bo", 4)):
        items = [
            {"write_id": f"{who}-{step}", "step_id": step, **_said(at == wrong)}
            for at, step in enumerate(steps[:8])
        ]
        headers = {"x-spanloom-annotator": who}
        url = f"{api}/v1/trajectories/{trace}/annotations"
        response = httpx.post(url, json={"scheme": "potato", "items": items}, headers=headers)
        response.raise_for_status()


def _said(is_wrong: bool) -> dict[str, str]:
    if not is_wrong:
        return {"correctness": "correct"}
    return {"correctness": "incorrect", "error_type": "reasoning", "severity": "major"}


@contextmanager
def looking(browser: Browser, look: Look, width: int = 1000, height: int = 640) -> Iterator[Page]:
    """Open a page with the fixed fonts, without animation and with a stopped clock."""
    context = _context(browser, look.locale)
    before, page = context.pages, context.new_page()
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=cast("Any", look.scheme))
    yield page
    page.evaluate("localStorage.clear()")
    for other in before:
        other.close()
    page.goto(urljoin(page.url, OF_THE_SITE))  # the process stays, so that the next page uses it


@cache
def _context(browser: Browser, locale: str) -> BrowserContext:
    """Return one context for all pages of a language: a new one would compile all scripts again."""
    context = browser.new_context(
        locale=locale,
        timezone_id="UTC",
        reduced_motion="reduce",
        bypass_csp=True,  # the fonts are data URLs
    )
    context.clock.set_fixed_time(_NOW)
    context.add_init_script(_with_fonts())
    context.add_init_script("localStorage.setItem('spanloom.annotator', JSON.stringify('ada'))")
    return context


def show_list(page: Page, runs: Runs) -> None:
    """Open the list."""
    page.goto(runs.api)
    page.locator("table.runs tbody tr").nth(1).wait_for()
    page.locator(".noted.on").wait_for()


def show_run(page: Page, runs: Runs) -> None:
    """Open the run of several agents, and select one step."""
    page.goto(f"{runs.api}/trajectories/{runs.team}")
    page.locator(".grid .row").nth(_SHOWN_STEP).click()
    page.locator(".grid.marked").wait_for()
    page.locator(".step .chosen h3, .step .chosen .message").first.wait_for()
    page.locator(".player button").first.wait_for()


def show_annotation(page: Page, runs: Runs) -> None:
    """Open a run, and the annotation panel."""
    show_run(page, runs)
    open_panel(page, runs)


def open_panel(page: Page, _: Runs) -> None:
    """Open the annotation panel of the run that is shown."""
    page.keyboard.press("a")
    page.locator(".annotating .figures").wait_for()
    page.locator("select.scheme").wait_for()


PAGES: Mapping[str, Callable[[Page, Runs], None]] = {
    "list": show_list,
    "run": show_run,
    "annotation": open_panel,
}
"""The views on the screenshots, in this order: each starts from the previous one."""


def picture(page: Page) -> bytes:
    """Return a PNG of the page once it no longer changes."""
    page.mouse.move(0, 0)  # otherwise the element under it would be shown as hovered
    page.evaluate("document.fonts.ready")
    page.wait_for_load_state("load")
    before = b""
    while (now := page.screenshot(animations="disabled", caret="hide")) != before:
        before = now
        page.wait_for_timeout(250)
    return now


class Difference(NamedTuple):
    """The difference of two screenshots."""

    share: float
    """Share of differing pixels; 1 if the sizes differ."""
    shown: bytes
    """The differing pixels as PNG, black on white."""


def compare(page: Page, one: bytes, other: bytes) -> Difference:
    """Compare two pictures pixel by pixel, unless the files are equal."""
    if one == other:
        return Difference(0.0, b"")
    urls = [f"data:image/png;base64,{base64.b64encode(png).decode()}" for png in (one, other)]
    share, shown = page.evaluate(_COMPARE, [*urls, _TOLERANCE])
    return Difference(float(share), base64.b64decode(shown))


def _with_fonts() -> str:
    faces = "".join(
        f"@font-face {{ font-family: {name}; src: url(data:font/woff2;base64,{data}); }}"
        for name in ("latin", "chinese")
        for data in [base64.b64encode((PICTURES / f"font/{name}.woff2").read_bytes()).decode()]
    )
    rule = "* { font-family: latin, chinese !important; }"
    return f"""
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(`{faces}{rule}`);
        document.adoptedStyleSheets = [sheet];
    """


_COMPARE = """async ([one, other, tolerance]) => {
  const [a, b] = await Promise.all([one, other].map(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  }));
  if (a.width !== b.width || a.height !== b.height) return [1, ""];
  const [inA, inB] = [a, b].map(({ data }) => new Uint32Array(data.buffer));
  let count = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    if (inA[at / 4] === inB[at / 4]) {
      inA[at / 4] = 0xffffffff;
      continue;
    }
    const by = [0, 1, 2].map((part) => Math.abs(a.data[at + part] - b.data[at + part]));
    const differs = Math.max(...by) > tolerance;
    if (differs) count++;
    a.data.set(differs ? [0, 0, 0, 255] : [255, 255, 255, 255], at);
  }
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [a.width, a.height];
  canvas.getContext("2d").putImageData(a, 0, 0);
  return [count / (a.width * a.height), canvas.toDataURL().split(",")[1]];
}"""
