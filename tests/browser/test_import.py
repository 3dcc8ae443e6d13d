"""Import on the page: dropped and chosen files, bad lines, losses, scores and refusals."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING

import httpx
import pytest
from playwright.sync_api import expect
from tests.support import scored
from tests.support.drafted import planner
from tests.support.otlp_door import new_trace
from tests.support.qualities import faults

from spanloom.core.formats.entry import Of
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Losses
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from playwright.sync_api import Locator, Page, Route
    from tests.conftest import RunningSpanloom
    from tests.support.page_modules import Modules

DROP = """([files]) => {
  const given = new DataTransfer();
  for (const [name, text] of Object.entries(files)) given.items.add(new File([text], name));
  for (const type of ["dragover", "drop"]) {
    const event = new DragEvent(type, { dataTransfer: given, bubbles: true, cancelable: true });
    document.querySelector("dialog[open]").dispatchEvent(event);
    if (!event.defaultPrevented) throw new Error("the browser would open the file");
  }
}"""


def drop(page: Page, files: Mapping[str, str]) -> None:
    """Drop files on the open dialog; ``files`` has their contents, keyed by name."""
    page.evaluate(DROP, [files])


def open_dialog(page: Page, service: RunningSpanloom, path: str = "/") -> Locator:
    page.goto(service.api + path)
    page.get_by_role("button", name="Import…").click()
    dialog = page.get_by_role("dialog", name="Import")
    expect(dialog).to_be_visible()
    return dialog


def test_a_dropped_file_with_bad_lines(page: Page, service: RunningSpanloom) -> None:
    first, second = new_trace(), new_trace()
    lines = [
        dump(planner() | {"id": first}).decode(),
        '{"id": "half',
        '{"root_step": {"name": "<b>\\u202e"}}',
        dump(planner() | {"id": second}).decode(),
    ]
    page.set_viewport_size({"width": 390, "height": 844})
    dialog = open_dialog(page, service, "/?project=default")
    start = dialog.get_by_role("button", name="Import")
    expect(start).to_be_disabled()
    expect(dialog.get_by_label("Project")).to_have_value("default")
    drop(page, {"runs.jsonl": "\n".join(lines), "none.txt": ""})
    assert faults(page) == []
    start.click()
    expect(dialog.get_by_role("heading", name="runs.jsonl")).to_be_visible()
    expect(dialog).to_contain_text("2 runs taken, 0 there already; 14 spans stored.")
    expect(dialog).to_contain_text("Read as canonical.")
    rows = dialog.locator("section").first.locator("tbody tr")
    expect(rows.locator("td:first-child")).to_have_text(["line 2", "line 3"])
    expect(rows.first).to_contain_text("it is no JSON")
    expect(dialog).to_contain_text("2 items are rejected")
    empty = dialog.locator("section").nth(1)
    expect(empty).to_contain_text("it is empty")
    expect(start).to_be_enabled()
    assert faults(page) == []
    for trace in (first, second):
        link = dialog.get_by_role("link", name=trace)
        expect(link).to_have_attribute("href", f"/trajectories/{trace}?project=default")
    expect(dialog).to_contain_text("No loss was counted.")
    settle(service, first, second)
    start.click()
    expect(dialog).to_contain_text("0 runs taken, 2 there already; 0 spans stored.")
    dialog.get_by_label("Under new ids").check()
    start.click()
    expect(dialog).to_contain_text("2 runs taken, 0 there already; 14 spans stored.")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.goto(f"{service.api}/trajectories/{first}")
    expect(page.get_by_role("heading", name="planner").first).to_be_visible()


def settle(service: RunningSpanloom, *traces: str) -> None:
    """Wait until the runs with these trace ids can be read."""
    for trace in traces:
        url = f"{service.api}/v1/trajectories/{trace}"
        ends = time.monotonic() + 60
        while httpx.get(url).status_code != 200:
            assert time.monotonic() < ends
            time.sleep(0.1)


@pytest.mark.nightly
def test_a_chosen_file_of_another_format_with_what_it_lost(
    page: Page, service: RunningSpanloom
) -> None:
    said = ({"role": "user", "content": "Oslo?"}, {"role": "assistant", "content": "Dry."})
    body = dump([{**said[0], "content": new_trace()}, said[1]])
    dialog = open_dialog(page, service)
    dialog.get_by_label("choose them").set_input_files(
        {"name": "messages.json", "mimeType": "application/json", "buffer": body}
    )
    dialog.get_by_label("Format").select_option("atif")
    dialog.get_by_label("Project").fill("copies")
    dialog.get_by_role("button", name="Import").click()
    expect(dialog).to_contain_text("2 items are rejected")
    dialog.get_by_label("Format").select_option("")
    dialog.get_by_role("button", name="Import").click()
    expect(dialog).to_contain_text("Read as openai.")
    expect(dialog.locator("li", has_text="ids_made")).to_contain_text("computed from the source")
    expect(dialog.get_by_role("link")).to_have_attribute("href", re.compile("project=copies$"))
    dialog.get_by_role("button", name="Close").click()
    page.evaluate("localStorage.setItem('spanloom.language', '\"zh\"')")
    page.reload()
    page.get_by_role("button", name="导入…").click()
    expect(page.get_by_role("dialog", name="导入")).to_contain_text("将文件拖到此处")


@pytest.mark.nightly
def test_the_scores_of_a_file_are_on_the_page(page: Page, service: RunningSpanloom) -> None:
    trace, annotated = new_trace(), new_trace()
    document = planner() | {"id": trace}
    rows = [row | {"trace_id": trace} for row in scored.rows()]
    log = formats_of(Of.RUN)["inspect"].load_writer()(Stored(dump(document), scores=rows), Losses())
    line = {
        "metadata": {"trace_id": annotated, "name": "forecaster"},
        "messages": [
            {"role": "user", "content": "Is Oslo dry?"},
            {"role": "assistant", "content": "It is."},
        ],
        "annotations": [{"content": "so it is", "address": "messages.1.content:0-2"}],
    }
    dialog = open_dialog(page, service)
    drop(page, {"log.json": log.decode(), "line.jsonl": dump(line).decode()})
    dialog.get_by_role("button", name="Import").click()
    expect(dialog.locator("section").first).to_contain_text(f"{len(rows)} scores stored.")
    expect(dialog.locator("section").nth(1)).to_contain_text("1 score stored.")
    settle(service, trace, annotated)
    page.goto(f"{service.api}/?where=trace_id in ('{trace}')&columns=name,score")
    shown = page.locator("tbody .c-score").first
    expect(shown).to_have_text(re.compile(r"^\d.* \+\d$"))
    expect(shown).to_have_attribute("title", re.compile("number: 0.75 · judge"))
    for run, said in ((trace, "a: tone polite"), (annotated, "invariant: annotation so it is")):
        page.goto(f"{service.api}/trajectories/{run}")
        expect(page.locator(".marks", has_text=said).first).to_be_visible()


def answered(status: int, kind: str, body: str) -> Callable[[Route], None]:
    def answer(route: Route) -> None:
        route.fulfill(status=status, content_type=kind, body=body)

    return answer


@pytest.mark.nightly
def test_an_answer_that_ends_early_and_a_refusal_are_shown(
    page: Page, service: RunningSpanloom
) -> None:
    dialog = open_dialog(page, service)
    counts = {"share": 0.5, "accepted_spans": 1, "rejected_spans": 0, "unchanged_runs": 0}
    cut = json.dumps({**counts, "rejected": 0, "losses": {}}) + "\n"
    problem = json.dumps({"detail": "2 imports are running: try again."})
    for status, kind, body, said in (
        (200, "application/x-ndjson", cut, "The answer was cut off"),
        (200, "application/x-ndjson", cut + '{"error":"it is too large"}\n', "it is too large"),
        (503, "application/problem+json", problem, "2 imports are running"),
    ):
        page.route("**/v1/imports*", answered(status, kind, body))
        drop(page, {"a": "{}"})
        dialog.get_by_role("button", name="Import").click()
        expect(dialog.get_by_role("alert")).to_contain_text(said)
        page.unroute_all()
    page.route("**/v1/imports*", lambda _: None)  # no answer comes
    dialog.get_by_role("button", name="Import").click()
    expect(dialog.get_by_role("status")).to_have_text("Sending a…")
    dialog.get_by_role("button", name="Stop").click()
    expect(dialog.get_by_role("button", name="Import")).to_be_enabled()
    expect(dialog.get_by_role("alert")).to_have_count(0)


ADD = """
const done = { counts: {}, runs: [], taken: 0, rejected: [], format: "" };
const add = m.adder(done);
for (const line of a[0]) add(line);
return [done.runs.length, done.taken, done.rejected.length, done.format];
"""


def test_what_is_kept_of_an_answer_is_bounded(modules: Modules) -> None:
    runs = [{"trace_id": f"{n % 300:032x}", "state": "taken"} for n in range(900)]
    rejected = [{"place": f"line {n}", "reason": "why"} for n in range(900)]
    lines = [*runs, *rejected, {"end": True, "format": "atif"}]
    assert modules.call("import/send.js", ADD, lines) == [200, 300, 200, "atif"]
