"""Online rules and alerts on the page: their creation, their progress, and why an alert fires."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.asked_runs import send_asked_runs
from tests.support.evaluation_answers import (
    ALERT,
    FIRING,
    NUMBER,
    RULE,
    STEP,
    TRACE,
    WITHDRAWN,
    answer_with,
)
from tests.support.qualities import faults
from tests.support.wide_elements import WIDE

from spanloom.core.records.alert_members import ALERT_MEMBERS

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize
    from tests.conftest import RunningSpanloom

PHONE: ViewportSize = {"width": 390, "height": 844}
NAME = r"unverified(%20| )refunds"
ANSWERS = {
    "/v1/online-rules": {"items": [RULE]},
    "/v1/online-rules/limits": RULE,
    "/v1/alerts": {"items": [NUMBER, ALERT]},
    f"/v1/alerts/{NAME}": ALERT,
    f"/v1/alerts/{NAME}/events": {"items": [FIRING, WITHDRAWN], "next_cursor": None},
    "/v1/alerts/test": {
        "fired": 3,
        "of": 40,
        "waits_for_settled": True,
        "runs": [],
        "windows": [],
    },
}


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/online-rules", "table.rules tbody a"),
        ("/online-rules?name=limits", ".counted"),
        ("/alerts", ".fires li a"),
        ("/alerts?name=unverified+refunds", "table.events tbody tr"),
        ("/alerts?new=1", "form.fields textarea"),
    ],
)
def test_every_page_is_for_everybody_and_nothing_is_scrolled_sideways_on_a_phone(
    page: Page, service: RunningSpanloom, path: str, shown: str
) -> None:
    answer_with(page, ANSWERS)
    page.goto(service.api + path)
    expect(page.locator(shown).first).to_be_visible()
    assert faults(page) == []
    page.set_viewport_size(PHONE)
    page.get_by_role("button", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    assert page.evaluate(WIDE) == []


def test_a_rule_is_paused_changed_and_given_the_past(page: Page, service: RunningSpanloom) -> None:
    sent = answer_with(page, ANSWERS)
    page.goto(f"{service.api}/online-rules?name=limits")
    main = page.locator("main")
    expect(main).to_contain_text("12,000 judged")
    expect(main).to_contain_text("The budget of the day is spent: 7 runs wait")
    expect(main).to_contain_text("$1.50, 1,000 runs")
    page.get_by_role("button", name="Pause").press("Enter")
    page.get_by_label("From", exact=True).fill("2026-01-31")
    page.get_by_role("button", name="Judge them").press("Enter")
    page.get_by_role("button", name="Change…").press("Enter")
    text = page.get_by_label("The rule, as JSON")
    text.fill(text.input_value().replace("0.1", "0.5,,"))
    page.get_by_role("button", name="Store it").press("Enter")
    expect(page.locator("ol.source p.wrong")).to_contain_text("JSON")
    text.fill(text.input_value().replace("0.5,,", "0.5"))
    page.get_by_role("button", name="Store it").press("Enter")
    expect(text).to_have_count(0)
    assert {one[:2] for one in sent} == {("PUT", "/v1/online-rules/limits")}
    paused, backfill, changed = (json.loads(body) for *_, body in sent)
    assert paused == {"paused": True}
    assert backfill["backfill"]["from"].startswith("2026-01-3")
    assert backfill["backfill"]["to"] is None
    assert changed["sample"] == 0.5
    assert changed["budget"] == {"usd": 1.5, "runs": 1000}


def test_an_alert_says_why_it_fires_and_opens_the_run_there(
    page: Page, service: RunningSpanloom
) -> None:
    sent = answer_with(page, ANSWERS)
    page.goto(f"{service.api}/alerts")
    now = page.locator(".fires li").first
    expect(now).to_contain_text("Refund order 7.")
    expect(now.get_by_role("link").last).to_have_attribute(
        "href", f"/trajectories/{TRACE}?step={STEP}"
    )
    page.get_by_role("link", name="unverified refunds").first.press("Enter")
    events = page.locator("table.events tbody tr")
    expect(events.first).to_contain_text("not sent")
    expect(events.first).to_contain_text("it answered 503")
    expect(events.last).to_contain_text("version 3 of the run does not match")
    expect(page.locator("main")).to_contain_text("1 message was given up")
    page.get_by_role("button", name="Pause").press("Enter")
    page.get_by_role("button", name="Change…").press("Enter")
    page.get_by_role("button", name="Try it on the last days").press("Enter")
    expect(page.locator("form.fields")).to_contain_text("It would have fired 3 times of 40.")
    (_, path, paused), (_, tried, _) = sent
    members = {name: ALERT[name] for name in ALERT_MEMBERS}  # `PUT` replaces the whole alert
    assert json.loads(paused) == {**members, "paused": True}
    assert path.startswith("/v1/alerts/unverified")
    assert tried == "/v1/alerts/test"


def test_a_wrong_rule_is_marked_at_its_line_and_a_right_one_stored(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(f"{service.api}/online-rules")
    page.get_by_role("button", name="New rule").press("Enter")
    page.get_by_label("Name", exact=True).fill("few calls")
    text = page.get_by_label("The rule, as JSON")
    right = text.input_value()
    wrong = right.replace('"where": ""', '"where": "toolz = x"')
    for given, line, words in (
        (wrong, 1, "toolz"),
        (right.replace('"rules",', '"ruls",'), 5, "ruls"),
        (right.replace('"sample": 1', '"sample": 7'), 12, "less than or equal to 1"),
    ):
        text.fill(given)
        page.get_by_role("button", name="Store it").press("Enter")
        expect(page.locator("ol.source p.wrong")).to_contain_text(words)
        items = page.locator("ol.source > li")
        found = items.evaluate_all("(all) => all.findIndex((one) => one.querySelector('p'))")
        assert found == line
    assert faults(page) == []
    text.fill(right)
    page.get_by_role("button", name="Store it").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("few calls")
    send_asked_runs(service, "1.0", [["search"]], first=900_002)
    expect(page.locator(".counted")).to_contain_text(re.compile(r"[1-9]\d* judged"))
    page.get_by_role("button", name="Pause").press("Enter")
    expect(page.locator("main")).to_contain_text("It judges nothing until it is resumed.")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").press("Enter")
    expect(page.locator("main")).to_contain_text("There is none yet.")  # no rule is left


def test_an_alert_is_tried_stored_and_fires_for_a_run(page: Page, service: RunningSpanloom) -> None:
    page.goto(f"{service.api}/alerts")
    page.get_by_role("button", name="New alert").press("Enter")
    page.get_by_label("Name", exact=True).fill("doubled refunds")
    text = page.get_by_label("The alert, as JSON")
    line = 'has(tool = "refund_once" then tool = "refund_once")'
    text.fill(json.dumps({"severity": "critical", "where": "toolz = x"}, indent=2))
    page.get_by_role("button", name="Try it on the last days").press("Enter")
    items = page.locator("ol.source > li")
    expect(items.nth(2)).to_contain_text("no run field 'toolz'")
    text.fill(json.dumps({"where": line}, indent=2))
    page.get_by_role("button", name="Try it on the last days").press("Enter")
    expect(page.locator("form.fields")).to_contain_text("It would have fired 0 times of")
    page.get_by_role("button", name="Store it").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("doubled refunds")
    expect(page.locator("main")).to_contain_text("It has not fired yet.")
    (trace,) = send_asked_runs(service, "1.0", [["refund_once", "refund_once"]], first=900_001)
    page.goto(f"{service.api}/alerts")
    now = page.locator(".fires", has_text="doubled refunds").locator("li")
    expect(now).to_contain_text("Is town 900001 dry?")
    assert faults(page) == []
    now.get_by_role("link").last.press("Enter")
    page.wait_for_url(f"**/trajectories/{trace}?*step=*")
    expect(page.locator(".step-head.k-tool")).to_be_visible()
