"""Spanloom and the real Potato exchange files: each reads the annotations of the other."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from tests.support.annotated_runs import SEED
from tests.support.potato import Potato, find_potato
from tests.system.test_annotations import PATH, QUICK, SCHEME, TRACE, ask, mark, send_run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunSpanloom, StartSpanloom

ODD = '</script> "quoted" 中文 😀 <b>not</b>'
WRONG = {
    "correctness": "incorrect",
    "error_type": "execution",
    "error_subtype": "wrong_tool",
    "severity": "major",
    "rationale": ODD,
}
OTHER = "6" * 32
NO_POTATO = (
    "no Potato: SPANLOOM_POTATO names its command (pip install potato-annotation, elsewhere)"
)


@pytest.mark.nightly
def test_real_potato_reads_what_we_write_and_we_what_it_writes(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    command = find_potato()
    if command is None:
        pytest.skip(NO_POTATO)
    spanloom = start_spanloom(*QUICK)
    steps = send_run(spanloom)
    send_run(spanloom, OTHER)  # Potato shows no item if all are done
    ask(spanloom, "PUT", f"/v1/schemes/{SCHEME}", json={"text": SEED})
    mark(spanloom, steps[0], "write-0001", correctness="correct")
    mark(spanloom, steps[1], "write-0002", **WRONG)
    mark(spanloom, steps[2], "write-0003", correctness="partially_correct", severity="minor")
    task, url = tmp_path / "task", f"--api-url={spanloom.api}"
    exported = run_spanloom(
        "annotations", "export", url, "--format", "potato", "--run", OTHER, "--output", str(task)
    )
    assert exported.returncode == 0, exported.stderr
    ours = task / "annotation_output" / "ada"
    state = (ours / "user_state.json").read_bytes()
    shutil.rmtree(ours)  # an account must be made before its folder exists
    theirs = {
        "steps": [
            {"step_index": 0, "correctness": "correct"},
            {"step_index": 1, **WRONG, "error_type": "safety", "error_subtype": "data_leak"},
            {"step_index": 2, "correctness": None},
        ],
        "score": None,
        "score_complete": False,
    }
    with Potato(command, task) as potato:
        potato.log_in("ada").close()
        potato.answer("bo", TRACE, {SCHEME: json.dumps(theirs)})
    ours.mkdir(exist_ok=True)
    (ours / "user_state.json").write_bytes(state)
    with Potato(command, task) as potato:
        check_page(potato)
    imported = run_spanloom("annotations", "import", url, str(task))
    assert imported.returncode == 0, imported.stderr
    rows = [r for r in ask(spanloom, "GET", PATH)["items"] if r["annotator"] == "bo"]
    assert [(r["step_id"], r["correctness"], r["error_subtype"]) for r in rows] == [
        (steps[0], "correct", ""),
        (steps[1], "incorrect", "data_leak"),
    ]
    assert (rows[1]["rationale"], rows[1]["origin"]) == (ODD, "import")
    again = run_spanloom("annotations", "import", url, str(task))
    assert "0 annotations added" in again.stdout


def check_page(potato: Potato) -> None:
    """Check that Potato's page shows our annotations; skip the rest if there is no browser."""
    api = pytest.importorskip("playwright.sync_api", reason="no Playwright to look at Potato by")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no Chromium to look at Potato by")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        for path in ("/register", "/auth"):
            page.context.request.post(potato.url + path, form={"email": "ada", "pass": "pass"})
        page.goto(f"{potato.url}/annotate")
        page.wait_for_selector(".traj-step-card", timeout=30_000)
        page.wait_for_timeout(1_000)
        marked = [
            b.strip() for b in page.locator(".traj-correctness-btn.selected").all_inner_texts()
        ]
        assert [text.lower().replace(" ", "_") for text in marked] == [
            "correct",
            "incorrect",
            "partially_correct",
        ]
        rationales = [field.input_value() for field in page.locator(".traj-rationale").all()]
        types = [field.input_value() for field in page.locator(".traj-error-type").all()]
        assert ODD in rationales
        assert "execution::wrong_tool" in types
        assert "94" in page.inner_text(".traj-score")
        browser.close()
