"""The page exports one run, selected runs or all runs of a query, in every registered format."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import httpx
import pytest
from playwright.sync_api import expect
from tests.support.qualities import faults

from spanloom.core.exchange.files import Layout
from spanloom.core.formats.entry import Filed, Of
from spanloom.core.formats.losses import LOSSES, read_header
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Download, Locator, Page, Route
    from tests.conftest import RunningSpanloom
    from tests.support.page_modules import Modules
    from tests.support.page_runs import PageRuns


def save(page: Page, dialog: Locator) -> Download:
    with page.expect_download() as waited:
        dialog.get_by_role("button", name="Save file").click()
    return waited.value


def text_of(saved: Download, folder: Path) -> str:
    path = folder / saved.suggested_filename
    saved.save_as(path)
    return path.read_text("utf-8")


def choice(dialog: Locator, name: str) -> Locator:
    return dialog.locator("label", has=dialog.page.locator(f'b:text-is("{name}")')).locator("input")


def test_a_run_is_exported_with_what_is_lost_or_why_it_cannot_be(
    page: Page, service: RunningSpanloom, runs: PageRuns, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{service.api}/trajectories/{runs.failing}")
    page.get_by_role("button", name="All figures").click()
    page.get_by_role("button", name="Export…").click()
    dialog = page.get_by_role("dialog", name="Export")
    expect(dialog.locator("label b")).to_have_text(list(formats_of(Of.RUN)))
    expect(dialog.get_by_role("button", name="Save file")).to_be_disabled()
    for name in ("coze", "snorkel"):  # by keyboard alone, from the first to the wanted one
        choice(dialog, name).focus()
        page.keyboard.press("Space")
        whole = httpx.get(f"{service.api}/v1/trajectories/{runs.failing}", params={"format": name})
        for code, times in read_header(whole.headers.get(LOSSES, "")).items():
            expect(dialog.locator("li", has_text=code)).to_contain_text(
                f"{times} \N{MULTIPLICATION SIGN}"
            )
        expect(dialog.get_by_role("status")).to_contain_text("1 run in the file.")
    assert faults(page) == []
    saved = save(page, dialog)
    assert saved.suggested_filename == f"{runs.failing}.snorkel.json"
    assert text_of(saved, tmp_path) == whole.text
    expect(dialog).to_have_count(0)
    page.route(re.compile("format=mlflow$"), refuse)
    page.get_by_role("button", name="Export…").click()
    choice(dialog, "mlflow").check()
    expect(dialog).to_contain_text("no_agent The run has no agent, and the format needs one.")
    expect(dialog.get_by_role("button", name="Save file")).to_be_disabled()
    page.keyboard.press("Escape")
    page.evaluate("localStorage.setItem('spanloom.language', '\"zh\"')")
    page.reload()
    page.get_by_role("button", name="运行的全部数据").click()
    page.get_by_role("button", name="导出…").click()
    choice(page.get_by_role("dialog", name="导出"), "mlflow").check()
    expect(page.get_by_role("dialog")).to_contain_text("运行没有 agent")


def refuse(route: Route) -> None:
    route.fulfill(
        status=406,
        content_type="application/problem+json",
        body=json.dumps({"detail": "no agent", "reason": "no_agent"}),
    )


@pytest.mark.nightly
def test_runs_of_a_list_make_one_file_that_leaves_out_what_cannot_be_held(
    page: Page, service: RunningSpanloom, runs: PageRuns, tmp_path: Path
) -> None:
    page.goto(f"{service.api}/?where=trace_id+in+(%22{runs.failing}%22,+%22{runs.team}%22)")
    page.get_by_role("button", name="Export all…").click()
    dialog = page.get_by_role("dialog", name="Export")
    expect(dialog).to_contain_text("2 runs, fetched one after the other")
    expect(choice(dialog, "sts")).to_be_disabled()
    expect(dialog).to_contain_text("Of many runs by spanloom export --format sts.")
    choice(dialog, "snorkel").check()
    saved = save(page, dialog)
    assert saved.suggested_filename == "runs.snorkel.json"
    assert len(json.loads(text_of(saved, tmp_path))) == 2
    choice(dialog, "invariant").check()
    items = [json.loads(one) for one in text_of(save(page, dialog), tmp_path).splitlines()]
    assert [one["index"] for one in items] == list(range(len(items)))
    assert len(items) > 2  # an item for each agent
    choice(dialog, "otlp").check()
    for one in text_of(save(page, dialog), tmp_path).splitlines():
        assert json.loads(one)["resourceSpans"]
    page.route(re.compile(f"/{runs.team}.*format=atif"), refuse)
    choice(dialog, "atif").check()
    saved = save(page, dialog)
    (written,) = text_of(saved, tmp_path).splitlines()
    assert saved.suggested_filename == "runs.atif.jsonl"
    assert json.loads(written)["trajectory_id"]
    expect(dialog).to_contain_text("1 is left out")
    expect(dialog.get_by_role("link", name=runs.team)).to_be_visible()
    assert faults(page) == []
    page.unroute_all()
    page.route(re.compile("format=coze$"), lambda _: None)  # no answer comes
    choice(dialog, "coze").check()
    dialog.get_by_role("button", name="Save file").click()
    expect(dialog.get_by_role("status")).to_have_text("Reading 0 of 2…")
    dialog.get_by_role("button", name="Stop").click()
    expect(dialog.get_by_role("status")).to_have_text("")
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_role("checkbox", name="Select forecaster").first.check()
    page.keyboard.press("D")
    dialog = page.get_by_role("dialog", name="Create a dataset")
    dialog.get_by_label("Rows as").select_option("langsmith")
    expect(dialog.get_by_role("status")).to_contain_text("1 run in the file.")
    dialog.get_by_label("Name of the dataset").fill("towns")
    saved = save(page, dialog)
    assert saved.suggested_filename == "towns.langsmith.jsonl"
    assert json.loads(text_of(saved, tmp_path))["inputs"]


BODIES = (
    '[{"index":0,"a":"]\\"},{"},{"index":1,"n":123456789012345678901,"b":[1,{"index":5}]}]',
    "[]",
    '[{"index":0,"metadata":{}}]',
)
JS = """const file = m.layoutOf(a[0]); return a[1].map(file.add).join("") + file.end()"""


@pytest.mark.parametrize("filed", [Filed.LINES, Filed.SPREAD, Filed.ARRAY])
def test_the_page_lays_out_files_as_the_shell_does(modules: Modules, filed: Filed) -> None:
    layout = Layout(filed)
    bodies = BODIES if filed is not Filed.SPREAD else tuple(b for b in BODIES if "12345" not in b)
    whole = b"".join(layout.add(body.encode()) for body in bodies) + layout.end
    assert modules.call("export/layouts.js", JS, filed.name.lower(), bodies) == whole.decode()
    assert (
        modules.call("export/layouts.js", JS, filed.name.lower(), ()) == Layout(filed).end.decode()
    )


def test_items_of_an_array_are_kept_as_they_are_written(modules: Modules) -> None:
    found = modules.call("export/layouts.js", "return m.itemsOf(a[0])", BODIES[0])
    assert f"[{','.join(found)}]" == BODIES[0]
    assert len(found) == 2
