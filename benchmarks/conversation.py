"""The page of a conversation of many runs in Chromium: its first row, and a huge run in it."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import click
from tests.support.browser import NO_CHROMIUM, chromium, open_browser
from tests.support.served_page import make_run, serve_page
from tests.support.served_talk import TALK

from benchmarks.apart import run_apart
from benchmarks.browsing import (
    TRACED,
    acts,
    first_row,
    frames_of,
    memory_mb,
    open_page,
    tasks_of,
    worst_of,
)
from benchmarks.report import Row, at_most
from benchmarks.viewer import FIRST_ROW_MS, FRAME_MS, MEMORY_MB

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from playwright.sync_api import Browser

    from benchmarks.scale import Scale

RUNS = 500
OPENED_MS = 500.0
_OPEN = """() => new Promise((done) => {
  const start = performance.now();
  const grid = document.querySelector(".grid");
  const had = Number(grid.ariaRowCount);
  grid.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  const look = () => requestAnimationFrame(() => {
    if (Number(grid.ariaRowCount) < had + 2) look();
    else requestAnimationFrame(() => done(performance.now() - start));
  });
  look();
})"""


class Seen(NamedTuple):
    """Measurements in a browser."""

    first_row_ms: float
    opened_ms: float
    """CPU milliseconds from the key press that opens the huge run until its steps are shown."""
    clock_ms: float
    """Wall-clock milliseconds from the key press that opens the huge run until its steps show."""
    frames: Mapping[str, float]
    """The 95th percentile of a frame's CPU milliseconds while the huge run is open, by action."""
    memory_mb: float


def measure_conversation(scale: Scale, _folder: Path) -> Iterator[Row]:
    """Yield rows for the page's first row, for opening a huge run, for a frame and for memory."""
    if chromium() is None:
        click.echo(f"the page of a conversation is not measured: {NO_CHROMIUM}", err=True)
        return
    seen: Seen = run_apart(look, scale)
    what = f"a conversation of {RUNS} runs"
    bar = at_most(FIRST_ROW_MS, "ms")
    yield Row(f"{what}: first row", seen.first_row_ms, bar, "after navigation")
    long = f"{what}, a long one"
    behind = f"{scale.viewed_spans:,} spans; CPU; by the clock {seen.clock_ms:.0f} ms"
    yield Row(f"{long}: opened", seen.opened_ms, at_most(OPENED_MS, "ms"), behind)
    behind = ", ".join(f"{name} {value:.1f}" for name, value in seen.frames.items())
    worst = max(seen.frames.values())
    yield Row(f"{long}: a frame, p95", worst, at_most(FRAME_MS, "ms"), behind)
    held = at_most(MEMORY_MB, "MB")
    yield Row(f"{long}: memory", seen.memory_mb, held, "heap and buffers that are held")


def look(scale: Scale) -> Seen:
    """Open the page of a conversation repeatedly, then open its first run and measure actions."""
    run = make_run(scale.viewed_spans)
    with serve_page(run, talk=RUNS) as address, open_browser() as browser:
        talk = f"{address.split('/trajectories/')[0]}/conversation?id={TALK}"
        firsts = [first_row(browser, talk) for _ in range(scale.repeats)]
        return _opened(browser, talk, median(firsts), scale.scrolled_px)


def _opened(browser: Browser, talk: str, first_row_ms: float, scrolled_px: int) -> Seen:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    open_page(page, talk)
    browser.start_tracing(page=page, categories=TRACED)
    clock: float = page.evaluate(_OPEN)
    cpu = sum(cpu for _, _, cpu in tasks_of(browser.stop_tracing())[1]) / 1e3
    page.wait_for_timeout(500)
    session = page.context.new_cdp_session(page)
    frames = {
        name: worst_of(frames_of(browser, page, act))
        for name, act in acts(page, session, scrolled_px).items()
    }
    return Seen(first_row_ms, cpu, clock, frames, memory_mb(session))
