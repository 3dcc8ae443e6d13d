"""The context of a step, the rule that classified it, and runs too long to be read as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.axe import serious
from tests.support.long_runs import HUGE, LongRuns, send_long_runs

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page, Route
    from tests.conftest import RunningSpanloom
    from tests.support.page_runs import PageRuns

ROWS = ".grid .row"


@pytest.fixture(scope="module")
def long(service: RunningSpanloom) -> LongRuns:
    return send_long_runs(service)


def test_only_what_the_call_before_was_told_is_folded(
    page: Page, service: RunningSpanloom, long: LongRuns
) -> None:
    page.goto(f"{service.api}/trajectories/{long.talk}")
    models = page.locator(f"{ROWS}.k-model")
    expect(models).to_have_count(3)
    models.nth(0).click()
    step = page.locator(".step")
    expect(step.locator(".side").first.locator(".said")).to_have_count(2)
    expect(step.locator(".earlier")).to_have_count(0)
    models.nth(2).click()
    expect(step.locator(".earlier")).to_contain_text("4 earlier messages")
    expect(step.locator(".side").first.locator(".said")).to_contain_text(["You are", "batch 2?"])
    step.locator(".earlier").click()
    expect(step.locator(".side").first.locator(".said")).to_have_count(6)


@pytest.mark.nightly
def test_why_tells_the_rule_and_what_was_sent(
    page: Page, service: RunningSpanloom, runs: PageRuns
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{service.api}/trajectories/{runs.failing}")
    page.locator(f"{ROWS}.k-tool").first.click()
    step = page.locator(".step")
    step.get_by_role("button", name="Parsing").click()
    expect(step).to_contain_text("otel_genai")
    expect(step).to_contain_text("a step of its own")
    expect(step).to_contain_text("gen_ai.tool.call.arguments")
    assert any("with=spans" in url for url in asked)
    assert not any(url.split("?")[0].endswith("/spans") for url in asked)
    assert serious(page) == []


def lower_the_bound(route: Route) -> None:
    """Lower the page's limit for large runs, because four times as many spans would take long."""
    answer = route.fetch()
    text = answer.text()
    assert "LARGE = 20_000" in text
    route.fulfill(response=answer, body=text.replace("LARGE = 20_000", "LARGE = 5_000"))


@pytest.mark.nightly
def test_a_huge_run_has_its_metrics_and_a_transcript_in_pages(
    page: Page, service: RunningSpanloom, long: LongRuns
) -> None:
    page.route("**/run/transcript.js", lower_the_bound)
    page.goto(f"{service.api}/trajectories/{long.huge}?view=transcript")
    expect(page.locator(".run-head")).to_contain_text("tool time")
    expect(page.locator(".entry")).to_have_count(200)
    expect(page.locator(".pager")).to_contain_text(f"1\u2013200 of {HUGE:,} steps")
    expect(page.locator(".entry").nth(1)).to_contain_text("done")
    page.get_by_role("button", name="Later steps").click()
    expect(page.locator(".pager")).to_contain_text("201\u2013400")
    expect(page.locator(".entry").first).to_contain_text("done")
    page.go_back()
    expect(page.locator(".pager")).to_contain_text("1\u2013200")
    assert serious(page) == []


def test_the_graph_says_when_and_why_it_puts_calls_together(
    page: Page, service: RunningSpanloom, long: LongRuns, runs: PageRuns
) -> None:
    why = page.locator(".left > p")
    page.goto(f"{service.api}/trajectories/{long.huge}?view=graph&graph=calls")
    expect(page.locator(".node")).to_have_count(2)
    expect(why).to_contain_text(f"{HUGE:,} steps: calls of one name by one agent are one node")
    expect(page.locator(".node.k-tool .more")).to_contain_text(f"{HUGE - 1:,} calls")
    page.goto(f"{service.api}/trajectories/{runs.failing}?view=graph&graph=calls")
    expect(page.locator(".node")).to_have_count(6)
    expect(why).to_have_count(0)


@pytest.mark.nightly
def test_the_export_of_a_huge_run_is_small_opens_and_says_what_is_missing(
    page: Page, service: RunningSpanloom, long: LongRuns, tmp_path: Path
) -> None:
    page.goto(f"{service.api}/trajectories/{long.huge}")
    page.get_by_role("button", name="Export…").click()
    dialog = page.get_by_role("dialog", name="Export")
    dialog.get_by_role("radio", name="html").check()
    with page.expect_download() as waited:
        dialog.get_by_role("button", name="Save file").click()
    saved = tmp_path / "run.html"
    waited.value.save_as(saved)
    assert saved.stat().st_size < 5_000_000
    page.goto(saved.as_uri())
    expect(page.locator(".cut").first).to_contain_text(
        f"Of {HUGE:,} steps the earliest 5,000 are in this file."
    )
    expect(page.locator("details")).to_have_count(5_000)
    expect(page.locator("details .text").last).to_be_visible()
