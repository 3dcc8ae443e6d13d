"""Annotating passages, corrected texts, the failing agent and whole runs; adding schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.annotated_page import (
    PANEL,
    ROWS,
    act,
    annotate,
    said_of,
    say_who_failed,
    send_steps,
    step_id,
    wait_saved,
)
from tests.support.annotated_runs import SEED
from tests.support.qualities import faults
from tests.support.reused_page import remember

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom


@pytest.mark.nightly
def test_who_failed_and_where(page: Page, service: RunningSpanloom, trace: str) -> None:
    say_who_failed(service, trace, step_id(4))
    annotate(page, service, trace, "blame")
    marks = page.locator(f"{ROWS}.k-tool .marks")
    expect(marks.nth(2)).to_have_text("bo: here it was decided")
    expect(page.get_by_role("region", name="What others say")).to_contain_text("tool 4")
    page.locator(f"{ROWS}.k-tool").nth(1).click()
    page.get_by_role("treegrid").focus()
    act(page, "Shift+Digit1")
    expect(page.locator(".attribution")).to_contain_text(step_id(3))
    expect(marks.nth(1)).to_have_text("you: here it was decided")
    page.get_by_label("responsible agent").select_option("planner")
    page.locator(".rationale").fill("It asked for the wrong thing.")
    wait_saved(page)
    assert said_of(service, trace)[""]["value"] == {
        "decisive_step": step_id(3),
        "responsible_agent": "planner",
        "reason": "It asked for the wrong thing.",
    }


@pytest.mark.nightly
def test_the_run_as_a_whole_has_a_note_and_the_next_run_is_a_key_away(
    page: Page, service: RunningSpanloom, traces: list[str]
) -> None:
    remember(page, service.api, "annotator", "ada")
    among = ", ".join(f'"{trace}"' for trace in traces)
    page.goto(f"{service.api}/?where=trace_id in ({among})")
    links = page.locator("td.c-name a")
    expect(links.first).to_be_visible()
    order = [str(link.get_attribute("href")).split("/")[-1] for link in links.all()]
    at = next(at for at, each in enumerate(order[:-1]) if each in traces)
    trace, after = order[at : at + 2]
    traces.remove(trace)
    links.nth(at).click()
    expect(page.locator(".neighbours")).to_contain_text(f"{at + 1} of ")
    expect(page.locator(ROWS).first).to_be_visible()
    act(page, "a")
    page.get_by_role("button", name="Note on the run").click()
    page.get_by_label("Note on the run").fill("It never asked for the date.")
    wait_saved(page)
    assert said_of(service, trace)[""]["value"] == {"note": "It never asked for the date."}
    page.get_by_role("treegrid").focus()
    act(page, "]")
    page.wait_for_url(f"**/{after}?annotate=potato*")
    expect(page.locator(f"{PANEL} .saved")).to_have_text("saved")
    act(page, "[")
    page.wait_for_url(f"**/{trace}?annotate=potato*")
    expect(page.get_by_role("button", name="Note on the run 1")).to_be_visible()


def test_a_place_is_marked_and_a_text_corrected(page: Page, service: RunningSpanloom) -> None:
    said = "Oslo \U0001f600 has 700,000 people.\u200b"
    trace = send_steps(service, [2], answers={2: said})
    annotate(page, service, trace)
    act(page, "2")
    page.get_by_role("button", name="Mark places").click()
    page.get_by_role("button", name="Show the text").click()
    text = page.locator(".step-body [data-field=output]")
    expect(text).to_contain_text("\u27e8U+200B\u27e9")
    text.evaluate(
        "(text) => { const node = text.firstChild.firstChild;"
        "getSelection().setBaseAndExtent(node, 5, node, 7) }"
    )
    page.get_by_role("button", name="Mark “\U0001f600”").click()
    page.locator(".places").get_by_label("severity").select_option("minor")
    expect(text.locator(".place.mine")).to_have_text("\U0001f600")
    page.get_by_role("button", name="Correct the text").click()
    page.get_by_label("what it should say").fill("Oslo has 720,000 people.")
    page.locator(".corrections").get_by_label("why").fill("counted anew")
    wait_saved(page)
    value = said_of(service, trace)[step_id(2)]["value"]
    place = {"field": "output", "start": 5, "end": 7, "text": "\U0001f600"}
    assert value["spans"] == [{**place, "severity": "minor"}]
    assert value["corrections"] == [
        {
            "field": "output",
            "original": said,
            "edited": "Oslo has 720,000 people.",
            "reason": "counted anew",
        }
    ]


@pytest.mark.nightly
def test_a_scheme_is_pasted_and_its_faults_are_told_by_line(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    annotate(page, service, trace)
    page.get_by_role("button", name="New scheme").click()
    dialog = page.get_by_role("dialog", name="New scheme")
    dialog.get_by_role("button", name="process_reward").click()
    expect(dialog.locator(".fine")).to_contain_text("my_rewards")
    page.keyboard.press("Escape")  # the pressed button is gone, and the focus with it
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="New scheme").click()
    area = dialog.get_by_label("YAML or JSON")
    named = SEED.replace("name: step_evaluation", "name: pasted")
    area.fill(named.replace("weight: -5", "weight: x"))
    expect(dialog.locator(".source li:nth-child(31) .wrong")).to_contain_text("line 31")
    expect(dialog.get_by_role("button", name="Store pasted")).to_be_disabled()
    area.fill(named.replace("name: pasted", "name: pasted\n    colour: red"))
    expect(dialog.locator(".source li:nth-child(4) .odd")).to_contain_text("colour")
    dialog.get_by_role("button", name="Store pasted").click()
    expect(dialog.get_by_role("button", name="pasted is stored")).to_be_disabled()
    dialog.get_by_role("button", name="Close").click()
    expect(page.get_by_label("Scheme", exact=True)).to_have_value("pasted")


def test_it_is_for_everybody(page: Page, service: RunningSpanloom, trace: str) -> None:
    annotate(page, service, trace)
    page.locator(f"{ROWS}.k-tool").first.click()
    page.locator(".option").nth(1).click()
    expect(page.locator(".more-asked")).to_be_visible()
    page.locator(".extras button").first.click()
    expect(page.locator(".corrections textarea").first).to_be_visible()
    assert faults(page) == []
    page.get_by_role("button", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    expect(page.locator(".corrections textarea").first).to_be_visible()
    assert faults(page) == []
