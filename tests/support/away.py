"""A page whose service does not respond for a while.

Any response makes the page retry everything that failed, and parts of the page send requests by
themselves. So a button *Try again* may disappear between the return of the service and a click.
Here both happen in one task of the page, which nothing can interrupt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

AWAY = "The service does not answer"
_REFUSE = """
globalThis.isAway = false;
const ask = fetch;
globalThis.fetch = (address, ...more) => {
  const isRefused = isAway && new URL(address, location.origin).pathname.startsWith("/v1/");
  return isRefused ? Promise.reject(new TypeError("Failed to fetch")) : ask(address, ...more);
};
"""


def prepare(page: Page) -> None:
    """Make the pages that are opened from now on able to refuse requests."""
    page.add_init_script(_REFUSE)


def leave(page: Page) -> None:
    """Leave all requests of the page unanswered."""
    page.evaluate("isAway = true")


def come_back(page: Page) -> None:
    """Let all requests be answered again, without a notice to the page."""
    page.evaluate("isAway = false")


def try_again(failure: Locator) -> None:
    """Answer requests again and click the button of a failure, at once."""
    button = failure.get_by_role("button", name="Try again")
    expect(button).to_be_visible()
    expect(button).to_be_enabled()
    button.evaluate("button => { isAway = false; button.click(); }")
