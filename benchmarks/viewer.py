"""The page of a run of 100,000 spans in Chromium: the first row, and the cost of a frame."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import click
from tests.support.browser import NO_CHROMIUM, chromium, open_browser
from tests.support.served_page import make_run, serve_page

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

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from playwright.sync_api import Browser

    from benchmarks.scale import Scale

FIRST_ROW_MS = 1_500.0
FRAME_MS = 16.0
MEMORY_MB = 60.0
ANNOTATED_MS = 100.0


class Seen(NamedTuple):
    """Measurements in a browser."""

    first_row_ms: float
    memory_mb: float
    frames: Mapping[str, Sequence[float]]
    """CPU milliseconds per frame, by action."""
    panel_ms: float
    """CPU milliseconds from the click that opens the panel until the tree shows annotations."""
    mark_ms: float
    """Wall-clock milliseconds from the key press that judges a step to the second frame after."""
    opened_ms: float
    """Wall-clock milliseconds of opening the annotation panel."""


def measure_viewer(scale: Scale, _folder: Path) -> Iterator[Row]:
    """Yield rows for the first row of the page, for its actions, for a frame and for memory."""
    if chromium() is None:
        click.echo(f"the page is not measured: {NO_CHROMIUM}", err=True)
        return
    seen: Seen = run_apart(look, scale)
    what = f"the page, {scale.viewed_spans:,} spans"
    yield Row(
        f"{what}: first row", seen.first_row_ms, at_most(FIRST_ROW_MS, "ms"), "after navigation"
    )
    worst = {name: worst_of(frames) for name, frames in seen.frames.items()}
    behind = ", ".join(f"{name} {value:.1f}" for name, value in worst.items())
    yield Row(f"{what}: a frame, p95", max(worst.values()), at_most(FRAME_MS, "ms"), behind)
    opening = f"CPU; by the clock {seen.opened_ms:.0f} ms"
    bar = at_most(ANNOTATED_MS, "ms")
    yield Row(f"{what}: opening the annotation panel", seen.panel_ms, bar, opening)
    yield Row(f"{what}: judging a step", seen.mark_ms, bar, "key to picture")
    held = at_most(MEMORY_MB, "MB")
    yield Row(f"{what}: memory", seen.memory_mb, held, "heap and buffers that are held")


def look(scale: Scale) -> Seen:
    """Open the page of a run repeatedly, then scroll, zoom and press keys."""
    with serve_page(make_run(scale.viewed_spans)) as address, open_browser() as browser:
        firsts = [first_row(browser, address) for _ in range(scale.repeats)]
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        open_page(page, address)
        session = page.context.new_cdp_session(page)
        done = acts(page, session, scale.scrolled_px)
        frames = {name: frames_of(browser, page, act) for name, act in done.items()}
        memory = memory_mb(session)
        opened = [_annotate(browser, address, scale.page_rests_ms) for _ in range(scale.repeats)]
        panel, clock, mark = (median(values) for values in zip(*opened, strict=True))
        return Seen(median(firsts), memory, frames, panel, mark, clock)


_NAMED = "localStorage.setItem('spanloom.annotator', '\"ada\"')"
_PANEL = """() => new Promise((done) => {
  const start = performance.now();
  document.querySelector(".to-annotate").click();
  const look = () => requestAnimationFrame(() => {
    if (document.querySelector(".marks .own")) done(performance.now() - start);
    else look();
  });
  look();
})"""
_MARK = """() => new Promise((done) => {
  const start = performance.now();
  const key = new KeyboardEvent("keydown", {key: "1", code: "Digit1", bubbles: true});
  document.querySelector(".grid").dispatchEvent(key);
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
})"""


def _annotate(browser: Browser, address: str, rests_ms: int) -> tuple[float, float, float]:
    """Return CPU and wall-clock ms of opening the panel, and wall-clock ms of judging a step."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(_NAMED)
    open_page(page, address)
    page.wait_for_timeout(rests_ms)
    browser.start_tracing(page=page, categories=TRACED)
    clock: float = page.evaluate(_PANEL)
    panel = sum(cpu for _, _, cpu in tasks_of(browser.stop_tracing())[1]) / 1e3
    page.wait_for_timeout(rests_ms)  # others' annotations have arrived
    marks: list[float] = [page.evaluate(_MARK) for _ in range(10)]
    page.close()
    return panel, clock, median(marks)
