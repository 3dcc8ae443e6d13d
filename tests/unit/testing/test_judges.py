"""A test's judge is found by name or made from criteria; without a model none is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.scripted_judge import MODEL

from spanloom.evaluation import InvalidEvaluatorError
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.contract.result import Results
from spanloom.testing.judges import MissingModelError, find_judge, why_no_model

if TYPE_CHECKING:
    from pathlib import Path

RESULTS = Results("polite", "judge")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "eval.yaml"
    path.write_text(
        f"evaluators:\n"
        f'  - {{name: polite, kind: judge, model: "{MODEL}", criteria: "Polite?"}}\n'
        "  - {name: cheap, kind: where, expr: 'steps < 5'}\n"
    )
    return path


def test_a_text_is_the_criteria_of_the_model_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPANLOOM_JUDGE_MODEL", MODEL)
    made = find_judge("polite", 0.8, None)
    assert (made.name, made.kind) == ("polite", "judge")
    assert made.config == {
        "model": MODEL,
        "criteria": "polite",
        "scale": {"min": 0, "max": 1},
        "threshold": 0.8,
    }
    assert find_judge("polite", 0.8, None) is made  # the same judge has one budget
    assert "scale" not in find_judge("polite", None, None).config
    assert find_judge("two\nlines", None, None).name == "judge"


def test_without_a_model_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPANLOOM_JUDGE_MODEL", raising=False)
    with pytest.raises(MissingModelError, match="SPANLOOM_JUDGE_MODEL"):
        find_judge("polite", 0.8, None)


def test_a_text_is_a_name_where_there_is_a_file(file: Path) -> None:
    assert find_judge("polite", None, file).config["criteria"] == "Polite?"
    assert find_judge("polite", 0.8, file).config["threshold"] == 0.8
    with pytest.raises(InvalidEvaluatorError, match="did you mean polite"):
        find_judge("polit", None, file)
    with pytest.raises(InvalidEvaluatorError, match="of kind where"):
        find_judge("cheap", None, file)


def test_a_threshold_needs_numbers() -> None:
    config = {"model": MODEL, "criteria": "?", "values": ["a", "b"]}
    assert find_judge(config, None, None).name == "judge"
    with pytest.raises(InvalidEvaluatorError, match="threshold belongs to scale"):
        find_judge(config, 0.5, None)


@pytest.mark.parametrize(
    ("code", "reason", "is_told"),
    [
        (ErrorCode.MISSING_PACKAGE, "judges need pydantic-ai", True),
        (ErrorCode.PROVIDER_DENIED, "Set the `OPENAI_API_KEY` environment variable", True),
        (ErrorCode.PROVIDER_DENIED, "the provider answered 401: the key is wrong", False),
        (ErrorCode.TIMEOUT, "OPENAI_API_KEY", False),
    ],
)
def test_what_is_missing_here_is_no_failure(code: ErrorCode, reason: str, is_told: bool) -> None:
    assert why_no_model([RESULTS.error(code, reason)]) == (reason if is_told else "")
    assert why_no_model([RESULTS.judged(True)]) == ""
