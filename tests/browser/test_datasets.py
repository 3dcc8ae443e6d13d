"""Datasets on the page: runs become items, a draft becomes a version; import and export."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.asked_runs import send_asked_runs
from tests.support.page_runs import start_quick
from tests.support.qualities import faults
from tests.support.wide_elements import WIDE

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import FilePayload, Page, ViewportSize
    from tests.conftest import RunningSpanloom, StartSpanloom

PHONE: ViewportSize = {"width": 390, "height": 844}
KEY = "steps/of a key with a slash"
HOSTILE = "<b onclick=alert(1)>Oslo</b> \u202e?"


@pytest.fixture(scope="module")
def asked(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    """A service with five runs; the second run has one tool call more than the others."""
    service = start_quick(start_shared_spanloom)
    tools = ["search", "book"]
    send_asked_runs(service, "1.0", [tools, ["search", *tools], tools, tools, tools])
    return service


def test_five_runs_become_a_version_of_a_dataset_by_keys_alone(
    page: Page, asked: RunningSpanloom
) -> None:
    page.goto(asked.api)
    expect(page.locator("table.runs tbody tr")).to_have_count(5)
    for _ in range(5):
        page.keyboard.press("x")
        page.keyboard.press("j")
    page.keyboard.press("D")
    dialog = page.get_by_role("dialog", name="Create a dataset")
    expect(dialog.get_by_role("status")).to_have_text("5 rows would be written")
    page.keyboard.type("trips")
    page.keyboard.press("Enter")
    expect(dialog.locator(".done")).to_contain_text("5 stored, 0 there already, 0 refused.")
    assert faults(page) == []
    way = dialog.get_by_role("link", name="Open trips")
    way.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("trips")
    rows = page.locator("table.items tbody tr")
    expect(rows).to_have_count(5)
    page.get_by_role("button", name="Commit as the next version").press("Enter")
    expect(page.locator("p.fine")).to_have_text("Version 1 was made.")
    rows.first.get_by_role("button", name="Remove").press("Enter")
    expect(rows).to_have_count(4)
    page.get_by_role("button", name="Version 1").press("Enter")
    expect(rows).to_have_count(5)
    expect(page.get_by_role("button", name="Remove")).to_have_count(0)
    assert faults(page) == []
    rows.last.get_by_role("link").press("Enter")
    page.wait_for_url("**/trajectories/*")


def test_items_go_in_and_out_as_files_and_texts_stay_texts(
    page: Page, asked: RunningSpanloom, tmp_path: Path
) -> None:
    page.goto(f"{asked.api}/datasets")
    page.get_by_role("button", name="New dataset").click()
    page.get_by_label("Name").fill("from files")
    page.get_by_role("button", name="Make it").click()
    expect(page.locator("main")).to_contain_text("No items.")
    item = {"item_key": KEY, "input": HOSTILE, "expected": {"facts": ["a", "b"]}, "splits": ["s"]}
    big = '{"item_key": "big", "input": "n", "metadata": {"n": 7}}'
    lines = "\n".join((json.dumps(item), "{", big, '{"input": "no key"}')).encode()
    file: FilePayload = {"name": "rows.jsonl", "mimeType": "text/plain", "buffer": lines}
    page.get_by_label("Import").set_input_files(file)
    report = page.locator(".report")
    expect(report).to_contain_text("2 stored, 0 there already, 2 refused")
    expect(report.locator("tbody td.number")).to_have_text(["2", "4"])
    row = page.locator("table.items tbody tr", has_text=KEY)
    expect(row).to_contain_text("<b onclick=alert(1)>Oslo</b> ⟨U+202E⟩?")
    expect(row).to_contain_text("2 facts")
    row.get_by_role("button", name=KEY, exact=False).first.click()
    expect(page.locator("td.json")).to_contain_text("item_key")
    assert faults(page) == []
    page.set_viewport_size(PHONE)
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_role("button", name="提交为下一版本")).to_be_visible()
    assert page.evaluate(WIDE) == []
    with page.expect_download() as waited:
        page.get_by_role("button", name="保存为 JSON Lines").click()
    saved = tmp_path / "rows"
    waited.value.save_as(saved)
    rows = [json.loads(line) for line in saved.read_text().splitlines()]
    assert [one["item_key"] for one in rows] == ["big", KEY]
    page.get_by_role("button", name=f"从草稿中移除 {KEY}").click()
    expect(page.locator("table.items tbody tr")).to_have_count(1)
