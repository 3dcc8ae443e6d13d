"""What a reader of one run looks for: where it failed, what went in a circle, what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.coder_run import QUOTA, send_coder_run
from tests.support.qualities import faults

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom

ROWS = ".grid .row"


@pytest.fixture(scope="module")
def coder(service: RunningSpanloom) -> str:
    """The address of the run."""
    return f"{service.api}/trajectories/{send_coder_run(service)}"


def test_the_head_has_the_failure_and_only_its_step_is_red(page: Page, coder: str) -> None:
    page.goto(coder)
    failed = page.locator(".notes").get_by_role("button")
    expect(failed).to_have_text(f"✕ fetch_page: {QUOTA}")
    page.get_by_role("button", name="Graph").click()
    failed.click()
    expect(page.locator(f"{ROWS}.on .label")).to_have_text("fetch_page")
    expect(page.locator(f"{ROWS}.err .label")).to_have_text(["fetch_page"])
    passed = page.locator(f"{ROWS}.passed")
    expect(passed.locator(".label")).to_have_text(["coder", "researcher"])
    expect(passed.get_by_label("failed below")).to_have_count(2)
    assert faults(page) == []
