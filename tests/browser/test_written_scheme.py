"""While a scheme is being written, the page shows the form that its annotators would have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.support.annotated_runs import SEED
from tests.support.axe import moderate

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom


def test_the_form_of_a_scheme_is_shown_while_it_is_written(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(f"{service.api}/schemes")
    page.get_by_role("button", name="New scheme").click()
    page.locator("textarea").fill(SEED)
    form = page.get_by_role("region", name="What annotators see: step_evaluation")
    form.get_by_role("button", name="1 correct").click()
    expect(form.get_by_role("group")).to_have_count(0)
    form.get_by_role("button", name="incorrect").click()
    form.get_by_role("button", name="execution").click()
    expect(form.get_by_role("group", name="subtype")).to_contain_text("wrong tool")
    expect(form.get_by_role("group", name="severity")).to_contain_text("major")
    assert moderate(page) == []
    page.locator("textarea").fill("name: nothing")
    expect(form).to_have_count(0)
