"""A page that sends a request to another host, or violates its own policy, fails its test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.browser import Watch, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext
    from tests.conftest import RunningSpanloom

ELSEWHERE = "http://elsewhere.example/track.png"
ASK = f"fetch('{ELSEWHERE}', {{ mode: 'no-cors' }}).catch(() => null)"


def test_a_request_to_another_host_is_a_fault(context: BrowserContext) -> None:
    page = context.new_page()
    watch = Watch(page)
    page.goto("about:blank")  # a page without a policy
    assert watch.faults == []
    page.evaluate(ASK)
    wait_until(page, lambda: f"asked elsewhere: {ELSEWHERE}" in watch.faults)
    page.close()


def test_a_violation_of_the_policy_is_a_fault(
    context: BrowserContext, service: RunningSpanloom
) -> None:
    page = context.new_page()
    watch = Watch(page)
    page.goto(f"{service.api}/queues")
    page.evaluate(ASK)
    wait_until(page, lambda: any("policy: connect-src" in fault for fault in watch.faults))
    page.close()
