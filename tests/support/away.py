"""A page whose service does not answer for a while.

Any answer has the page ask again for all that failed, and parts of it ask by themselves. So a
button *Try again* may go between the moment at which the service is back and a click: here both
happen in one task of the page, in which nothing else can.
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
    """Have the pages that are opened from now on refuse requests once they are to."""
    page.add_init_script(_REFUSE)


def leave(page: Page) -> None:
    """Have no request of the page answered."""
    page.evaluate("isAway = true")


def come_back(page: Page) -> None:
    """Have all requests answered again; the page does not know."""
    page.evaluate("isAway = false")


def try_again(failure: Locator) -> None:
    """Come back and click the button of a failure, at once."""
    button = failure.get_by_role("button", name="Try again")
    expect(button).to_be_visible()
    expect(button).to_be_enabled()
    button.evaluate("button => { isAway = false; button.click(); }")
