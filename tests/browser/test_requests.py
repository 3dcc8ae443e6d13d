"""A page requests everything once when it opens."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.browser import wait_until
from tests.support.interception import Held, intercept
from tests.support.reused_page import remember

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom
    from tests.support.page_runs import PageRuns

SETTLED = "new Promise((then) => setTimeout(then, 300))"
"""Requests that depend on the last answers are sent within this time."""


@pytest.mark.parametrize(
    ("path", "last"),
    [
        ("/", ["/v1/scores", "changes?after="]),
        ("/trajectories/{team}", ["/v1/scores", "/versions", "/rows"]),
        ("/trajectories/{team}?annotate=potato", ["/v1/scores", "/versions", "/rows"]),
    ],
)
def test_a_page_requests_nothing_twice(
    page: Page, service: RunningSpanloom, runs: PageRuns, path: str, last: list[str]
) -> None:
    requests: list[str] = []
    remember(page, service.api, "annotator", "ada")
    page.on("request", lambda request: requests.append(f"{request.method} {request.url}"))
    page.goto(service.api + path.format(team=runs.team))
    wait_until(page, lambda: all(any(part in url for url in requests) for part in last))
    page.evaluate(SETTLED)
    assert [url for url, count in Counter(requests).items() if count > 1] == []


def test_a_header_older_than_the_tree_is_requested_again(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    answered: list[Held] = []

    def answer(held: Held) -> None:
        answered.append(held)
        if len(answered) == 1:
            held.fulfill(json={"items": [], "next_cursor": None})
        else:
            held.continue_()

    intercept(page, "*/v1/trajectories?where=trace_id*", answer)
    page.goto(f"{service.api}/trajectories/{runs.team}")
    expect(page.locator(".run-head h1")).to_be_visible()
    page.evaluate(SETTLED)
    assert len(answered) == 2
