"""The page of a service without runs: recipes, the first span, example runs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
import pytest
from playwright.sync_api import expect
from tests.support.page_runs import start_quick, wait_for_count
from tests.support.qualities import faults

from spanloom.demo.examples import EXAMPLES, make_examples
from spanloom.recipes import read_frameworks

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.conftest import RunSpanloom, StartSpanloom


def test_recipes_are_tabs_with_the_address_that_is_served(
    page: Page, start_spanloom: StartSpanloom
) -> None:
    service = start_quick(start_spanloom)
    port = httpx.get(f"{service.api}/v1/service").json()["otlp_http_port"]
    page.goto(service.api)
    tabs = page.get_by_role("tab")
    known = [one.title for one in read_frameworks()]
    expect(tabs).to_have_text(known[:10])
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text(f"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:{port}")
    expect(panel).to_contain_text("LangChainInstrumentor")
    tabs.first.press("ArrowRight")
    expect(tabs.nth(1)).to_be_focused()
    expect(tabs.nth(1)).to_have_attribute("aria-selected", "true")
    expect(panel).to_contain_text("OpenAIAgentsInstrumentor")
    page.get_by_role("combobox", name="Others").select_option(label="Claude Code")
    expect(panel).to_contain_text("CLAUDE_CODE_ENABLE_TELEMETRY=1")
    assert faults(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_role("button", name="加载示例运行")).to_be_visible()
    assert faults(page) == []


@pytest.mark.nightly
def test_example_runs_are_loaded_once_and_can_be_deleted(
    page: Page, start_spanloom: StartSpanloom
) -> None:
    service = start_quick(start_spanloom)
    page.goto(service.api)
    expect(page.locator(".first-span")).to_contain_text("Waiting")
    page.get_by_role("button", name="Load example runs").click()
    expect(page.locator(".first-span")).to_contain_text("The first span came at")
    count = len(make_examples(time.time_ns()))
    sought = {"metrics": "count", "where": f'environment = "{EXAMPLES}"', "project": EXAMPLES}
    expect(page.get_by_role("button", name="Load example runs")).to_be_enabled()
    page.get_by_role("button", name="Load example runs").click()
    expect(page.get_by_text("are there already")).to_be_visible()
    wait_for_count(service.api, count, sought["where"])
    page.get_by_role("button", name="Show its run").click()
    expect(page.locator("table.runs tbody tr")).to_have_count(count)
    answer = httpx.get(f"{service.api}/v1/stats", params=sought).json()
    assert answer["items"][0]["count"] == count
    httpx.post(f"{service.api}/v1/deletions", params={"project": EXAMPLES}).raise_for_status()
    page.goto(f"{service.api}/steps")
    expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
    page.goto(service.api)
    expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
    page.get_by_role("button", name="Load example runs").click()
    expect(page.get_by_text(f"{count} example runs are sent")).to_be_visible()


@pytest.mark.nightly
def test_with_keys_one_that_may_write_loads_them_into_its_project(
    page: Page, start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    service = start_spanloom(data_dir=data)
    service.wait_until_ready()
    keys = {}
    for scopes in ("read", "read,ingest"):
        made = run_spanloom(
            "keys", "create", "--project=p", f"--scopes={scopes}", f"--data-dir={data}"
        )
        keys[scopes] = made.stdout.strip()
    while httpx.get(f"{service.api}/v1/trajectories").status_code != 401:
        time.sleep(0.1)  # a new key takes effect within a second
    page.goto(service.api)
    use(page, keys["read"])
    expect(page.get_by_role("tabpanel")).to_contain_text("OTEL_EXPORTER_OTLP_HEADERS")
    page.get_by_role("button", name="Load example runs").click()
    expect(page.get_by_text("It takes a key with the scope ingest")).to_be_visible()
    page.get_by_role("button", name="API key").click()
    use(page, keys["read,ingest"])
    page.get_by_role("button", name="Load example runs").click()
    expect(page.locator(".first-span")).to_contain_text("The first span came at")
    asked = {"where": f'environment = "{EXAMPLES}"', "project": "p"}
    headers = {"authorization": f"Bearer {keys['read']}"}
    runs = httpx.get(f"{service.api}/v1/trajectories", params=asked, headers=headers).json()
    assert runs["items"]


def use(page: Page, key: str) -> None:
    page.get_by_role("dialog").get_by_label("Key").fill(key)
    page.get_by_role("button", name="Use it").click()
