"""Scores of evaluators on the page of a run: in its head, and at the steps that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.support.annotated_page import call, step_id
from tests.support.axe import moderate

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom


def test_a_run_shows_scores_with_reason_evidence_and_whether_they_hold(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    said = {"trace_id": trace, "author": "judge", "source": "llm"}
    shown = {"step_id": step_id(3), "field": "output"}
    items = [
        {
            **said,
            "name": "polite",
            "value": False,
            "passed": False,
            "rationale": "It shouts.",
            "experiment": "manners",
            "evidence": [shown],
            "view_fingerprint": "1:names:00",  # of other names
        },
        {**said, "name": "tone", "value": "flat", "target": "step", "step_id": step_id(2)},
        {**said, "name": "late", "status": "error", "error_code": "timeout"},
    ]
    call(service, "POST", "/v1/scores", {"items": items})
    page.goto(f"{service.api}/trajectories/{trace}")
    head = page.locator(".run-head")
    head.get_by_role("button", name="Scores 2").click()
    polite, late = (head.locator(".scores li", has_text=name) for name in ("polite", "late"))
    expect(polite).to_contain_text("judge · polite")
    expect(polite).to_contain_text("It shouts.")
    expect(polite.locator(".stale")).to_have_text("⟳ stale")
    way = polite.get_by_role("link", name="manners")
    expect(way).to_have_attribute("href", "/experiments?name=manners")
    expect(late).to_contain_text("error timeout")
    expect(late.locator(".stale")).to_have_count(0)
    assert moderate(page) == []
    polite.locator(".evidence button").press("Enter")
    body = page.locator(".step-body")
    expect(page.locator(".step-head code").first).to_have_text(step_id(3))
    body.locator(".scored summary").press("Enter")
    expect(body.locator(".scores")).to_contain_text("It shouts.")
    page.goto(f"{service.api}/trajectories/{trace}?step={step_id(2)}")
    body.locator(".scored summary").click()
    expect(body.locator(".scores li")).to_contain_text(["judge · tone flat"])


def test_a_run_without_scores_has_no_place_for_them(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    with page.expect_response("**/v1/scores?*"):
        page.goto(f"{service.api}/trajectories/{trace}?step={step_id(2)}")
    expect(page.locator(".step-head code").first).to_have_text(step_id(2))
    expect(page.get_by_role("button", name="Scores")).to_have_count(0)
    expect(page.locator(".scored")).to_have_count(0)
