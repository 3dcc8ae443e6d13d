"""Evaluators in Python code: only where they are allowed, and whatever they return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.judged_runs import run, tool

from spanloom import evaluate
from spanloom.evaluation import InvalidEvaluatorError
from spanloom.evaluation.making import make_evaluator, make_evaluators

if TYPE_CHECKING:
    from pathlib import Path

RUN = run([tool("t1", "search", 1)])


def file_with(folder: Path, body: str) -> dict[str, Any]:
    (folder / "check.py").write_text(body)
    return {"kind": "python", "name": "own", "file": str(folder / "check.py")}


def test_a_file_is_refused_unless_code_is_allowed(tmp_path: Path) -> None:
    with pytest.raises(InvalidEvaluatorError, match="allow_code"):
        evaluate(RUN, file_with(tmp_path, "def evaluate(document, expected): return True"))


def test_the_hash_follows_the_contents_not_the_path(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    hashes = []
    for folder, value in ((one, True), (two, True), (two, False)):
        folder.mkdir(exist_ok=True)
        config = file_with(folder, f"def evaluate(document, expected): return {value}")
        config["file"] = "check.py"
        (made,) = make_evaluators(config, allow_code=True, folder=folder)
        hashes.append(made.config_hash)
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("def evaluate(:", "is no Python"),
        ("x = 1", "defines neither"),
        ("\0", "is no Python"),
        ("#" * (1 << 20) + "#", "more than 1048576 bytes"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(
    body: str | None, reason: str, tmp_path: Path
) -> None:
    config = file_with(tmp_path, body or "")
    if body is None:
        (tmp_path / "check.py").unlink()
    with pytest.raises(InvalidEvaluatorError, match=reason) as caught:
        make_evaluator(config, allow_code=True)
    assert caught.value.key == "file"


def test_a_callable_cannot_change_the_run() -> None:
    def change(document: Any, expected: Any) -> bool:
        document.clear()
        expected["x"] = 1
        return True

    expected = {"response": "Oslo"}
    results = evaluate(
        RUN, [change, {"kind": "rules", "rules": {"max_steps": 9}}], expected=expected
    )
    assert [one["passed"] for one in results] == [True, True]
    assert expected == {"response": "Oslo"}


def test_callables_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidEvaluatorError, match="two evaluators give the score lambda"):
        evaluate(RUN, [lambda *_: True, lambda *_: False])


def test_a_coroutine_is_no_answer() -> None:
    async def later(_: Any, __: Any) -> bool:
        return True

    (one,) = evaluate(RUN, later)
    assert (one["status"], one["error_code"]) == ("error", "invalid_answer")


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"score": 1, "value": 1}, "invalid_answer"),
        ({"value": [1]}, "invalid_answer"),
        ([True], "invalid_answer"),
        ("x" * 1_001, "invalid_answer"),
        ({"value": 1, "rationale": "x" * 20_001}, "invalid_answer"),
        ({"value": 1, "evidence": [{"step": "x"}]}, "invalid_answer"),
        ({"value": 1, "metrics": {"x": float("inf")}}, "not_finite"),
        (10**400, "not_finite"),
    ],
)
def test_an_answer_that_is_none_is_an_error(answer: object, code: str) -> None:
    def answering(_: Any, __: Any) -> object:
        return answer

    (one,) = evaluate(RUN, answering)
    assert (one["status"], one["error_code"]) == ("error", code)
