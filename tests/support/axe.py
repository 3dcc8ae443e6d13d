"""What axe-core finds wrong with a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page

_SERIOUS = ("serious", "critical")


def serious(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """Return the serious findings of these rules or of all, each with its elements."""
    options = {"resultTypes": ["violations"]}  # of all else one node each is worked out
    if rules:
        options["runOnly"] = list(rules)
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary']}"
        for one in found
        if one["impact"] in _SERIOUS
        for node in one["nodes"]
    ]
