"""The settings show what each project has stored, its limits and its retention."""

from __future__ import annotations

import re
import secrets
import time
from typing import TYPE_CHECKING

import httpx
import pytest
from playwright.sync_api import expect
from tests.support.browser import wait_until
from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import send, wait_for
from tests.support.qualities import faults
from tests.support.reused_page import remember

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom, StartSpanloom

PROJECTS = "table.projects tbody tr"
LIMITS = '[projects.travel]\nspans_per_s = 5000\nstored_bytes = "2GB"\n'
TERMS = "[projects.travel]\nspans_days = 7\n"


@pytest.fixture(scope="module")
def service(
    start_shared_spanloom: StartSpanloom, tmp_path_factory: pytest.TempPathFactory
) -> RunningSpanloom:
    """Serve a run of each of two projects, one of which has its own limits and retention."""
    data: Path = tmp_path_factory.mktemp("projects")
    (data / "retention.toml").write_text(TERMS)
    (data / "limits.toml").write_text(LIMITS)
    env = {
        "SPANLOOM_ROOT_QUIET_S": "0.3",
        "SPANLOOM_RETENTION_DAYS": "30",
        "SPANLOOM_LIMITS_FILE": str(data / "limits.toml"),
    }
    running = start_shared_spanloom(data_dir=data, env=env)
    running.wait_until_ready()
    for project in ("shop", "travel"):
        trace = secrets.token_hex(16)
        told = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": project}
        root = wire_span(trace, 1, 0, f"invoke_agent {project}", time.time_ns() - 10**9, told)
        send(running, message_of([root], {"spanloom.project": project}))
        wait_for(running.api, trace)
    return running


def test_each_project_has_its_size_limits_and_terms(page: Page, service: RunningSpanloom) -> None:
    page.goto(f"{service.api}/settings")
    expect(page.locator(PROJECTS)).to_have_count(2)
    shop, travel = page.locator(PROJECTS).all()
    expect(shop).to_contain_text(re.compile("shop.*1.* k?B.*none.*30 days"))
    expect(travel).to_contain_text("5,000 spans/s, 2.0 GB stored")
    expect(travel).to_contain_text("spans 7 days, runs 30 days")
    expect(page.get_by_text("without terms of their own is kept: 30 days.")).to_be_visible()
    expect(page.locator("code", has_text="--retention-days").first).to_be_visible()
    assert faults(page) == []
    travel.get_by_role("link", name="travel").press("Enter")
    expect(page.locator("table.runs tbody tr")).to_have_count(1)
    assert "project=travel" in page.url


def test_they_are_told_in_chinese_and_on_a_phone(page: Page, service: RunningSpanloom) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    remember(page, service.api, "language", "zh")
    page.goto(f"{service.api}/settings")
    expect(page.locator(PROJECTS)).to_have_count(2)
    expect(page.get_by_role("heading", name="保留期限")).to_be_visible()
    expect(page.locator(PROJECTS).last).to_contain_text(re.compile("span 7 天.运行 30 天"))
    assert faults(page) == []


def test_a_key_of_one_project_is_told_of_it_and_what_it_lacks(
    page: Page, service: RunningSpanloom
) -> None:
    wanted = {"project": "shop", "scopes": ["read"]}
    made = httpx.post(f"{service.api}/v1/keys", json=wanted).json()
    address = f"{service.api}/v1/projects"
    page.goto(service.api)
    wait_until(page, lambda: httpx.get(address).status_code == 401)  # keys are read each second
    page.evaluate("key => sessionStorage.setItem('spanloom.key', key)", made["key"])
    page.goto(f"{service.api}/settings")
    expect(page.locator(PROJECTS)).to_have_count(1)
    expect(page.locator(PROJECTS)).to_contain_text("shop")
    expect(page.get_by_text("No key changes this")).to_be_visible()
    expect(page.get_by_text("needs a key with the scope admin").first).to_be_visible()
