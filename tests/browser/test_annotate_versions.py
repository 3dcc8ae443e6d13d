"""Annotations survive new versions of a run and a kill of the service."""

from __future__ import annotations

import json
import re
import signal
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.annotated_page import (
    PANEL,
    ROWS,
    WRONG,
    act,
    annotate,
    call,
    said_of,
    send_steps,
    step_id,
    wait_saved,
)
from tests.support.axe import serious
from tests.support.interception import Held, intercept
from tests.support.page_runs import start_quick, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom, StartSpanloom


def test_a_new_version_moves_nothing_and_states_are_told(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    annotate(page, service, trace)
    act(page, "1", "1")
    wait_saved(page)
    before = page.locator(".grid").bounding_box()
    send_steps(service, [3, 7], trace, {3: "another answer"})
    bar = page.locator(".newer-bar")
    expect(bar).to_contain_text("1 step added, 1 step changed")
    assert page.locator(".grid").bounding_box() == before
    expect(page.locator(f"{ROWS}.k-tool")).to_have_count(3)
    act(page, "1")
    wait_saved(page)
    assert bar.get_by_role("link", name="Show").get_attribute("href")
    bar.get_by_role("button", name="Go to it").click()
    expect(page.locator(f"{ROWS}.k-tool")).to_have_count(4)
    expect(page.locator(PANEL)).to_contain_text("2 of 4 judged")
    page.locator(f"{ROWS}.k-tool").nth(1).click()
    note = page.locator(f"{PANEL} .note")
    expect(note).to_contain_text("another answer")
    expect(note).to_contain_text("answer 3")
    note.get_by_role("button", name="Still right").click()
    expect(page.locator(PANEL)).to_contain_text("3 of 4 judged")
    wait_saved(page)
    row = said_of(service, trace)[step_id(3)]
    assert (row["state"], row["correctness"]) == ("valid", "correct")


@pytest.mark.nightly
def test_what_moved_and_what_has_gone_is_told(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    path = f"/v1/trajectories/{trace}/annotations"
    items = [
        {"write_id": f"write-{n:04}", "step_id": step_id(n), "correctness": "correct"}
        for n in (2, 3, 4)
    ]
    call(service, "POST", path, {"scheme": "potato", "items": items})

    def later(held: Held) -> None:
        """Answer as after a better dialect: step 2 moved to step 4, and step 3 no longer exists."""
        answer = held.fetch()
        *rows, end = map(json.loads, answer.text().splitlines())
        told = [row for row in rows if row["step_id"] != step_id(4)]
        fates = {step_id(2): ("moved", step_id(4)), step_id(3): ("orphaned", "")}
        for row in told:
            row["state"], row["stands_at"] = fates[row["step_id"]]
            row |= {"version": 0, "reason": "as a test has it"}
            row["step_id"] = row["step_id"].replace("0", "f")
        held.fulfill(response=answer, body="\n".join(map(json.dumps, [*told, end])) + "\n")

    def answer(held: Held) -> None:
        if held.request["method"] == "POST":
            held.continue_()
        else:
            later(held)

    intercept(page, "*/annotations?*", answer)
    annotate(page, service, trace)
    expect(page.locator(PANEL)).to_contain_text("1 of 3 judged")
    expect(page.locator(".orphans")).to_contain_text("1 annotation of steps that have gone")
    expect(page.locator(".orphans q")).to_contain_text("tool 3: answer 3")
    page.locator(f"{ROWS}.k-tool").last.click()
    expect(page.locator(f"{PANEL} .note")).to_contain_text("Its step has gone; it stands here now")
    assert serious(page) == []
    page.get_by_role("button", name="New scheme").click()
    assert serious(page) == []


@pytest.mark.nightly
def test_places_are_found_again_in_a_text_that_changed(
    page: Page, service: RunningSpanloom
) -> None:
    trace = send_steps(service, [2], answers={2: "Oslo has a fjord, and rain."})
    places = [
        {"field": "output", "start": 11, "end": 16, "text": "fjord"},
        {"field": "output", "start": 22, "end": 26, "text": "rain"},
    ]
    item = {"write_id": "write-places", "step_id": step_id(2), **WRONG, "value": {"spans": places}}
    path = f"/v1/trajectories/{trace}/annotations"
    call(service, "POST", path, {"scheme": "potato", "items": [item]})
    send_steps(service, [2], trace, {2: "The city of \U0001f600 Oslo has a fjord."})
    wait_for(service.api, trace, 2)
    annotate(page, service, trace)
    page.locator(f"{ROWS}.k-tool").first.click()
    page.get_by_role("button", name="Mark places").click()
    page.get_by_role("button", name="Show the text").click()
    expect(page.locator(".step-body .place.mine")).to_have_text("fjord")
    listed = page.locator(".places li")
    expect(listed).to_contain_text([re.compile("Output 26.31"), "no longer in the text"])
    page.get_by_role("button", name="Still right").click()
    wait_saved(page)
    row = said_of(service, trace)[step_id(2)]
    assert row["state"] == "valid"
    here = {**places[0], "start": 26, "end": 31}
    assert row["value"]["spans"] == [here, places[1]]
    listed.nth(0).get_by_label("type", exact=True).select_option("reasoning")
    wait_saved(page)
    spans = said_of(service, trace)[step_id(2)]["value"]["spans"]
    assert spans == [{**here, "type": "reasoning", "subtype": ""}, places[1]]


@pytest.mark.nightly
def test_what_is_said_to_be_saved_survives_a_kill(
    page: Page, start_spanloom: StartSpanloom
) -> None:
    service = start_quick(start_spanloom)
    trace = send_steps(service, range(2, 5))
    annotate(page, service, trace)
    act(page, "1", "1")
    wait_saved(page)
    service.stop(signal.SIGKILL)
    again = start_quick(start_spanloom)
    assert len(said_of(again, trace)) == 2
