"""Measures a page in Chromium: its first row, the CPU time of its frames, its memory.

The CPU time of the page's main thread between two animation frames is read from a trace of the
browser, because on a busy machine the clock also measures other processes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playwright.sync_api import Browser, CDPSession, Page

TRACED = ["toplevel", "devtools.timeline"]
_SHARE = 0.95


def first_row(browser: Browser, address: str) -> float:
    """Return after how many milliseconds the first row of a page is shown."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    open_page(page, address)
    at: float = page.evaluate("performance.getEntriesByName('first-row')[0].startTime")
    page.close()
    return at


def open_page(page: Page, address: str) -> None:
    """Open an address, and wait until its first row is shown and it is idle."""
    page.goto(address)
    while not page.evaluate("performance.getEntriesByName('first-row').length"):
        page.wait_for_timeout(50)  # the page's CSP forbids it to evaluate code
    page.wait_for_timeout(500)


def acts(page: Page, session: CDPSession, px: int) -> dict[str, Callable[[], None]]:
    """Return a user's actions on a tree, by name: scroll ``px``, zoom the timeline, press keys."""

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
        "wheel": lambda: swipe(px // 8, 4_000),
        "fast": lambda: swipe(px, 40_000),
        "zoom": zoom,
        "keys": press,
    }


def frames_of(browser: Browser, page: Page, act: Callable[[], None]) -> list[float]:
    """Return the main thread's CPU milliseconds for each animation frame of an action."""
    browser.start_tracing(page=page, categories=TRACED)
    act()
    return _by_frame(*tasks_of(browser.stop_tracing()))


def tasks_of(trace: bytes) -> tuple[list[float], list[tuple[float, float, float]]]:
    """Return starts of animation frames, and start, length and CPU of the main thread's tasks."""
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


def worst_of(values: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return sorted(values)[int(len(values) * _SHARE)] if values else 0.0


def memory_mb(session: CDPSession) -> float:
    """Return the megabytes that the page uses, heap and buffers, after garbage collection."""
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")
    held: float = (heap["usedSize"] + heap["backingStorageSize"]) / 1e6
    return held
