"""The page over a run of 100,000 spans in Chromium: the first row, and what a frame costs.

Frames are judged by the CPU time of the page's main thread between two animation frames, from a
trace of the browser: on a busy machine the clock tells about the neighbours.
"""

from __future__ import annotations

import json
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from tests.support.browser import NO_CHROMIUM, chromium, open_browser
from tests.support.served_page import make_run, serve_page

from benchmarks.apart import run_apart
from benchmarks.report import Row, at_most

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from playwright.sync_api import Browser, CDPSession, Page

    from benchmarks.scale import Scale

FIRST_ROW_MS = 1_500.0
FRAME_MS = 16.0
MEMORY_MB = 60.0
ANNOTATED_MS = 100.0
_SHARE = 0.95
_TRACED = ["toplevel", "devtools.timeline"]


class Seen(NamedTuple):
    """What a browser showed."""

    first_row_ms: float
    memory_mb: float
    frames: Mapping[str, Sequence[float]]
    """Milliseconds of CPU a frame, by what was done."""
    panel_ms: float
    """CPU from the click that opens the annotation panel to the marks in the tree."""
    mark_ms: float
    """From the key that judges a step to the second frame after it, by the clock."""
    opened_ms: float
    """What the clock says of opening the panel."""


def measure_viewer(scale: Scale, _folder: Path) -> Iterator[Row]:
    """Yield what the page takes for its first row, for a frame, and in memory."""
    if chromium() is None:
        click.echo(f"the page is not measured: {NO_CHROMIUM}", err=True)
        return
    seen: Seen = run_apart(look, scale.viewed_spans, scale.repeats)
    what = f"the page, {scale.viewed_spans:,} spans"
    yield Row(
        f"{what}: first row", seen.first_row_ms, at_most(FIRST_ROW_MS, "ms"), "after navigation"
    )
    worst = {name: _quantile(frames) for name, frames in seen.frames.items()}
    behind = ", ".join(f"{name} {value:.1f}" for name, value in worst.items())
    yield Row(f"{what}: a frame, p95", max(worst.values()), at_most(FRAME_MS, "ms"), behind)
    opening = f"CPU; by the clock {seen.opened_ms:.0f} ms"
    bar = at_most(ANNOTATED_MS, "ms")
    yield Row(f"{what}: opening the annotation panel", seen.panel_ms, bar, opening)
    yield Row(f"{what}: judging a step", seen.mark_ms, bar, "key to picture")
    held = at_most(MEMORY_MB, "MB")
    yield Row(f"{what}: memory", seen.memory_mb, held, "heap and buffers that are held")


def look(spans: int, repeats: int) -> Seen:
    """Open the page of a run so often, then scroll, zoom and press keys."""
    with serve_page(make_run(spans)) as address, open_browser() as browser:
        firsts = [_first_row(browser, address) for _ in range(repeats)]
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        _open(page, address)
        session = page.context.new_cdp_session(page)
        frames = {name: _frames(browser, page, act) for name, act in _acts(page, session).items()}
        session.send("HeapProfiler.collectGarbage")
        heap = session.send("Runtime.getHeapUsage")
        memory = (heap["usedSize"] + heap["backingStorageSize"]) / 1e6
        opened = [_annotate(browser, address) for _ in range(repeats)]
        panel, clock, mark = (median(values) for values in zip(*opened, strict=True))
        return Seen(median(firsts), memory, frames, panel, mark, clock)


def _first_row(browser: Browser, address: str) -> float:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    _open(page, address)
    at: float = page.evaluate("performance.getEntriesByName('first-row')[0].startTime")
    page.close()
    return at


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
_PRELOADED_MS = 2_500


def _annotate(browser: Browser, address: str) -> tuple[float, float, float]:
    """Return the CPU of opening the panel, its time and that of a mark, in milliseconds."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(_NAMED)
    _open(page, address)
    page.wait_for_timeout(_PRELOADED_MS)
    browser.start_tracing(page=page, categories=_TRACED)
    clock: float = page.evaluate(_PANEL)
    panel = sum(cpu for _, _, cpu in _tasks(browser.stop_tracing())[1]) / 1e3
    page.wait_for_timeout(_PRELOADED_MS)  # what others say has come
    marks: list[float] = [page.evaluate(_MARK) for _ in range(10)]
    page.close()
    return panel, clock, median(marks)


def _open(page: Page, address: str) -> None:
    page.goto(address)
    while not page.evaluate("performance.getEntriesByName('first-row').length"):
        page.wait_for_timeout(50)  # the page itself may evaluate nothing
    page.wait_for_timeout(500)


def _acts(page: Page, session: CDPSession) -> dict[str, Callable[[], None]]:
    def swipe(distance: int, speed: int) -> None:
        box = page.locator(".grid").bounding_box()
        assert box
        where = {"x": box["x"] + 200, "y": box["y"] + 300}
        how = {"yDistance": -distance, "speed": speed, "gestureSourceType": "mouse"}
        session.send("Input.synthesizeScrollGesture", {**where, **how, "preventFling": True})

    def zoom() -> None:
        page.locator(".flame").hover()
        for at in range(40):
            page.mouse.wheel(0, -60 if at < 20 else 60)

    def press() -> None:
        page.locator(".grid").focus()
        for _ in range(40):
            page.keyboard.press("ArrowDown")

    return {
        "wheel": lambda: swipe(10_000, 4_000),
        "fast": lambda: swipe(80_000, 40_000),
        "zoom": zoom,
        "keys": press,
    }


def _frames(browser: Browser, page: Page, act: Callable[[], None]) -> list[float]:
    """Return the main thread's CPU milliseconds for each animation frame of an act."""
    browser.start_tracing(page=page, categories=_TRACED)
    act()
    return _by_frame(*_tasks(browser.stop_tracing()))


def _tasks(trace: bytes) -> tuple[list[float], list[tuple[float, float, float]]]:
    """Return when animation frames began, and start, length and CPU of the main thread's tasks."""
    events: list[dict[str, Any]] = json.loads(trace)["traceEvents"]
    starts = [event for event in events if event["name"] == "FireAnimationFrame"]
    threads = [(event["pid"], event["tid"]) for event in starts]
    main = max(set(threads), key=threads.count)
    begun = sorted(e["ts"] for e, thread in zip(starts, threads, strict=True) if thread == main)
    tasks = [
        (event["ts"], event["dur"], event["tdur"])
        for event in events
        if (event["pid"], event["tid"]) == main
        and event["name"].endswith("RunTask")
        and "tdur" in event
    ]
    return begun, sorted(tasks)


def _by_frame(begun: Sequence[float], tasks: Sequence[tuple[float, float, float]]) -> list[float]:
    frames, spent, at = [], 0.0, 0
    for start, length, cpu in tasks:
        before = at
        while at < len(begun) and begun[at] < start + length:
            at += 1
        if at > before:
            frames.append(spent / 1e3)
            spent = 0.0
        spent += cpu
    return frames[1:]


def _quantile(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * _SHARE)] if values else 0.0
