"""Returns the serious findings of axe-core for a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe

if TYPE_CHECKING:
    from playwright.sync_api import Page

_SERIOUS = ("serious", "critical")


def serious(page: Page) -> list[str]:
    """Return the serious findings, each with the elements that it is about."""
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary']}"
        for one in found
        if one["impact"] in _SERIOUS
        for node in one["nodes"]
    ]
