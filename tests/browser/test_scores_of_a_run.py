"""What evaluators say of a run: their reasons, and the steps that show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
from playwright.sync_api import expect
from tests.support.interception import intercept
from tests.support.qualities import faults

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom
    from tests.support.interception import Held

WHY = "the call 2 is <b>book</b>, not search"


def test_scores_say_why_and_lead_to_the_steps_that_show_it(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    document = httpx.get(f"{service.api}/v1/trajectories/{trace}").json()
    step = document["agent_steps"][0]["steps"][-1]["id"]
    common = {"trace_id": trace, "target": "trajectory", "source": "rule"}
    failed = {**common, "name": "path", "author": "path", "value": False, "passed": False}
    items = [
        {**failed, "rationale": WHY, "evidence": [{"step_id": step}], "experiment": "strict"},
        {**common, "name": "limits/max", "author": "limits", "value": True, "passed": True},
    ]
    put = httpx.post(f"{service.api}/v1/scores", json={"items": items})
    assert put.is_success, put.text
    page.goto(f"{service.api}/trajectories/{trace}")
    menu = page.get_by_role("button", name="2 scores, 1 of them failed")
    menu.press("Enter")
    first = page.locator(".said-of").first
    expect(first).to_contain_text(WHY)
    expect(first.get_by_role("link", name="strict")).to_have_attribute(
        "href", "/experiments?name=strict"
    )
    assert faults(page) == []
    first.get_by_role("button", name="evidence 1").press("Enter")
    page.wait_for_url(f"**step={step}*")
    page.set_viewport_size({"width": 390, "height": 844})
    sheet = page.locator(".scores-of .sheet")
    expect(sheet).to_be_visible()
    box = sheet.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


def test_a_score_of_a_run_that_has_changed_since_is_stale(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    item: dict[str, object] = {"trace_id": trace, "target": "trajectory", "source": "llm"}
    item |= {"author": "polite", "name": "polite", "value": 0.8}
    httpx.post(f"{service.api}/v1/scores", json={"items": [item]}).raise_for_status()

    def answer(held: Held) -> None:
        told = held.fetch().json()
        for one in told["items"]:
            one["stale"] = True
        held.fulfill(json=told)

    intercept(page, "*/v1/scores?*", answer)
    page.goto(f"{service.api}/trajectories/{trace}")
    page.get_by_role("button", name="1 score").press("Enter")
    expect(page.locator(".said-of")).to_contain_text("stale")
    expect(page.locator(".said-of")).to_contain_text("0.8")
