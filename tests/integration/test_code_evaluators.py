"""Evaluators in a Python file run in a process of their own with bounded resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.judged_runs import run, tool

from spanloom import evaluate
from spanloom.evaluation.code.process import Bounds, FailedCodeError, run_code

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.service
RUN = run([tool("t1", "search", 1)])
COZE = """
def exec_evaluation(turn):
    said = turn["evaluate_target_output_fields"]["actual_output"]["text"]
    asked = turn["evaluate_dataset_fields"]
    steps = json.loads(turn["evaluate_target_output_fields"]["trajectory"]["text"])["agent_steps"]
    is_same = said == asked["reference_output"]["text"]
    return EvalOutput(score=float(is_same), reason=f"{asked['input']['text']} {len(steps)}")
"""


def file_with(folder: Path, body: str) -> dict[str, Any]:
    (folder / "check.py").write_text(body)
    return {"kind": "python", "name": "own", "file": str(folder / "check.py")}


def code_of(body: str, bounds: Bounds | None = None) -> str:
    """Return the error code with which an evaluator function with this body fails."""
    source = f"def evaluate(document, expected):\n    {body}\n"
    with pytest.raises(FailedCodeError) as caught:
        run_code(source, "check.py", "evaluate", [{}, {}], bounds or Bounds())
    return caught.value.code.value


def test_a_file_judges(tmp_path: Path) -> None:
    body = (
        "def evaluate(document, expected): return document['root_step']['output'] == expected['o']"
    )
    (one,) = evaluate(RUN, file_with(tmp_path, body), expected={"o": "Oslo"}, allow_code=True)
    assert (one["name"], one["kind"], one["passed"]) == ("own", "python", True)


def test_a_file_of_coze_judges(tmp_path: Path) -> None:
    (one,) = evaluate(
        RUN, file_with(tmp_path, COZE), expected={"response": "Oslo"}, allow_code=True
    )
    assert (one["status"], one["value"], one["rationale"]) == ("ok", 1.0, "Oslo or Bergen? 1")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("return 1 / 0", "crashed"),
        ("import os; os._exit(3)", "crashed"),
        ("import sys; sys.exit(0)", "crashed"),
        ("return 'a' * (1 << 31)", "crashed"),
        ("return object()", "crashed"),
        ("print('x' * (1 << 20)); return True", "too_large"),
        ("return {'value': True, 'reason': 'x' * (1 << 20)}", "too_large"),
        ("import socket; socket.socket()", "crashed"),
        ("import subprocess; subprocess.run(['true'])", "crashed"),
        ("import os; os.fork()", "crashed"),
        ("open('/tmp/evaluator', 'w')", "crashed"),
    ],
)
def test_code_that_fails_is_an_error(body: str, code: str) -> None:
    assert code_of(body) == code


def test_code_that_hangs_is_ended_with_all_that_it_began() -> None:
    assert code_of("import time; time.sleep(60)", Bounds(wall_s=0.3)) == "timeout"
    assert code_of("while True: pass", Bounds(wall_s=0.3)) == "timeout"


def test_code_sees_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    source = "def evaluate(d, e):\n    import os\n    return sorted(os.environ)\n"
    seen = run_code(source, "check.py", "evaluate", [{}, {}], Bounds())
    assert seen == ["LANG", "LC_ALL"]


def test_a_file_that_fails_never_stops_the_next_evaluator(tmp_path: Path) -> None:
    own = file_with(tmp_path, "def evaluate(document, expected):\n    import os\n    os._exit(1)\n")
    rules = {"kind": "rules", "rules": {"max_steps": 9}}
    first, second = evaluate(RUN, [own, rules], allow_code=True)
    assert (first["status"], first["error_code"]) == ("error", "crashed")
    assert second["passed"] is True
