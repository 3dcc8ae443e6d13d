"""A page that is used with the keyboard alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

MOST = 120
_HAS_FOCUS = "(one) => one === document.activeElement"


def reach(page: Page, wanted: Locator) -> None:
    """Press Tab until an element has the focus; fail if it never does."""
    expect(wanted).to_be_visible()
    for _ in range(MOST):
        if wanted.evaluate(_HAS_FOCUS):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} is not reached by {MOST} presses of Tab")


def press(page: Page, wanted: Locator, key: str = "Enter") -> None:
    """Reach an element and press a key."""
    reach(page, wanted)
    page.keyboard.press(key)
