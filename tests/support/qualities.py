"""Checks every page against WCAG 2.2: 1.4.10 reflow, 2.5.8 target size."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tests.support.axe import serious

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

NARROW: ViewportSize = {"width": 320, "height": 700}
LEAST_TARGET = 24
COLOURS = ("color-contrast", "link-in-text-block")
"""The axe-core rules about colours; no other rule depends on the colour scheme."""

_SMALL = """(least) => [...document.querySelectorAll("button, select, summary, a.button, input")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".sr"))
  .filter((one) => !["checkbox", "radio", "range"].includes(one.type))
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([, box]) => box.width > 1 && box.height > 1)
  .filter(([, box]) => box.width < least - 0.5 || box.height < least - 0.5)
  .map(([one, box]) => `${one.outerHTML.slice(0, 120)} ${box.width} x ${box.height}`)"""


def faults(page: Page) -> list[str]:
    """Return the faults of a page in light and dark mode, and in a window of 320 pixels."""
    found = []
    page.emulate_media(color_scheme="light")
    found += [f"light: {one}" for one in serious(page)]
    page.emulate_media(color_scheme="dark")
    found += [f"dark: {one}" for one in serious(page, COLOURS)]
    found += [f"small: {one}" for one in cast("list[str]", page.evaluate(_SMALL, LEAST_TARGET))]
    before = page.viewport_size
    page.set_viewport_size(NARROW)
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > NARROW["width"]:
        found.append(f"narrow: the page is {wide} wide")
    if before:
        page.set_viewport_size(before)
    return found
