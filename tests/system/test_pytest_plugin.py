"""The pytest plugin in suites that use it: each session of pytest is a separate process."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import jsonschema
import pytest
from junitparser import JUnitXml
from tests.support.agents import SETTLED_S
from tests.support.programs import clean_environment

from spanloom.evaluation.files.report import report_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conftest import StartSpanloom

ROOT = Path(__file__).parents[2]
SUITES = ROOT / "tests/support/plugin_suites"
LIMIT_S = 120
OTHERS = ("-p", "no:schemathesis", "-p", "no:langsmith_plugin", "-p", "no:cacheprovider")
NOT_OURS = ("-p", "no:spanloom")

pytestmark = pytest.mark.service


def session(
    folder: Path, suite: str, *arguments: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a suite in a folder of its own, as on a build server; return the ended process."""
    shutil.copy(SUITES / f"{suite}.py", folder / f"test_{suite}.py")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *OTHERS, *arguments],
        cwd=folder,
        env=clean_environment({"PYTHONPATH": str(ROOT), "CI": "1", **(env or {})}),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def without_times(text: str) -> str:
    return re.sub(r"\d+\.\d+s", "", text)


def test_a_suite_that_does_not_use_it_notices_nothing(tmp_path: Path) -> None:
    with_it, without = (session(tmp_path, "foreign", *more) for more in ((), NOT_OURS))
    assert with_it.returncode == without.returncode == 0, with_it.stdout
    assert with_it.stderr == without.stderr == ""
    assert without_times(with_it.stdout) == without_times(without.stdout)


@pytest.mark.nightly
def test_agents_are_captured_wherever_they_run_and_their_goldens_are_stable(
    tmp_path: Path,
) -> None:
    written = session(tmp_path, "passing", "--spanloom-update", env={"CI": ""})
    assert written.returncode == 0, written.stdout
    goldens = {file.name: file.read_bytes() for file in tmp_path.glob("*.golden.json")}
    assert sorted(goldens) == ["steps.golden.json", "team.golden.json"]
    again = session(tmp_path, "passing", "-n", "2", "--spanloom-report", "report")
    assert again.returncode == 0, again.stdout
    assert {file.name: file.read_bytes() for file in tmp_path.glob("*.golden.json")} == goldens
    report = json.loads((tmp_path / "report/report.json").read_bytes())
    jsonschema.Draft202012Validator(report_schema()).validate(report)
    assert (report["status"], report["exit_code"], report["items"]) == ("passed", 0, 8)
    team = [row["repeat"] for row in report["results"] if "langgraph" in row["item"]]
    assert sorted(set(team)) == [0, 1, 2, 3, 4]
    assert JUnitXml.fromfile(str(tmp_path / "report/junit.xml")).errors == 0
    assert (tmp_path / "report/report.md").read_text().startswith("## `pytest`: passed\n")


FAILURES = {
    "test_rule": ("rules/forbidden_tools: failed:", ">   tool delete_all", "! no room"),
    "test_line": ('not has(tool = "search"): failed:', ">   tool search"),
    "test_unknown_cost": ("rules/first_token_ms: does not apply:",),
    "test_crash": ("crashed: KeyError",),
    "test_nothing": ("no trace was captured", "opentelemetry.sdk.trace.TracerProvider"),
    "test_span_around": ("began before the block",),
    "test_unattributed": ("unattributed: 'invoke_agent planner'",),
    "test_endless": ("1 spans have not ended: 'endless'",),
    "test_early": ("the run is not over",),
    "test_own_error": ("ValueError: its own error",),
    "test_repeats": ("2 of 4 tries passed: pass@1 = 0.5, required is pass@1 >= 0.75", "try 4: "),
    "test_mark": ("of 2 repeats k is 1 to 2",),
    "test_golden": ("there is no golden", "--spanloom-update"),
}


def test_each_failure_says_why_and_names_the_step(tmp_path: Path) -> None:
    ended = session(tmp_path, "failing", "--spanloom-report", "report")
    assert ended.returncode == 1
    assert f"{len(FAILURES)} failed in" in ended.stdout
    said = re.split(r"^_+ (test_\w+) _+$", ended.stdout, flags=re.MULTILINE)
    by_test = dict(zip(said[1::2], said[2::2], strict=True))
    for name, words in FAILURES.items():
        assert [word for word in words if word not in by_test[name]] == [], by_test[name]
        assert "services/spanloom" not in by_test[name], by_test[name]
    report = json.loads((tmp_path / "report/report.json").read_bytes())
    assert (report["status"], report["exit_code"]) == ("failed", 1)
    repeats = [row for row in report["results"] if row["item"].endswith("test_repeats")]
    assert [row["passed"] for row in repeats] == [False, True, False, True]


def test_a_model_judges_where_there_is_one(tmp_path: Path) -> None:
    ended = session(tmp_path, "judging", "-rs", env={"OPENAI_API_KEY": ""})
    said = ended.stdout
    assert "there is no model: set SPANLOOM_JUDGE_MODEL" in said
    if find_spec("pydantic_ai") is None:
        assert "pip install 'spanloom[judge]'" in said
        assert "2 passed, 4 skipped" in said
    else:
        assert "judge not judged: Set the `OPENAI_API_KEY`" in said
        assert "polite: failed: so" in said
        assert "1 failed, 3 passed, 2 skipped" in said


@pytest.mark.nightly
def test_a_session_is_sent_as_one_experiment(start_spanloom: StartSpanloom, tmp_path: Path) -> None:
    api = start_spanloom("serve", "--root-quiet-s=0.5").addresses["api"]
    asked = ("-n", "2", "--spanloom-send", api, "--spanloom-experiment", "nightly")
    ended = session(tmp_path, "judging", *asked)
    sent = re.search(r"spanloom: (\d+) runs and (\d+) scores sent to", ended.stdout)
    assert sent, ended.stdout
    assert "not all was sent" not in ended.stdout
    until = time.monotonic() + SETTLED_S
    while True:
        stored = httpx.get(f"{api}/v1/scores").json()["items"]
        found = [one for one in stored if one["experiment"] == "nightly"]
        runs = httpx.get(f"{api}/v1/trajectories").json()["items"]
        if len(found) == int(sent[2]) and len(runs) == int(sent[1]):
            break
        assert time.monotonic() < until, (found, runs, ended.stdout)
        time.sleep(0.1)
    repeated = [one for one in found if one["item"].endswith("test_repeated")]
    assert sorted(one["repeat"] for one in repeated) == [0, 1]
    assert {one["trace_id"] for one in found} <= {one["trace_id"] for one in runs}


def test_a_service_that_is_away_fails_no_test(tmp_path: Path) -> None:
    ended = session(tmp_path, "passing", "-k", "plain_thread", "--spanloom-send", "http://[::1]:1")
    assert ended.returncode == 0, ended.stdout
    assert "not all was sent: nothing answers at" in ended.stdout
    wrong = session(tmp_path, "foreign", "--spanloom-send", "ftp://host")
    assert wrong.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--spanloom-send" in wrong.stderr
