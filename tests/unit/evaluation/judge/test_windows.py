"""Long runs: overlapping windows, a summary carried along, and one request that combines them."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.judged_runs import model, run, tool
from tests.support.scripted_judge import Script, answer, config_of, judge_by

from spanloom.core.document import HeldDocument
from spanloom.core.model.step import Usage
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.judge.answer import Findings
from spanloom.evaluation.judge.cache import Cache
from spanloom.evaluation.judge.canary import HASHED
from spanloom.evaluation.judge.fitting import Room, fit
from spanloom.evaluation.judge.material import read_material
from spanloom.evaluation.judge.port import ModelError, estimated_tokens
from spanloom.evaluation.judge.prompt import prompts_on
from spanloom.evaluation.judge.steps import step_lines
from spanloom.evaluation.subject.subject import Subject

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.evaluation.judge.port import Prompt

SMALL: dict[str, Any] = {"context_tokens": 5_000}
TOO_LONG = ModelError(ErrorCode.CONTEXT_OVERFLOW, "400")
NOTES = json.dumps({"findings": "step 3 is rude", "evidence": [3], "summary": "it searched"})


def long_run(steps: int, words: int = 60) -> Any:
    """Return a long run of model texts, which shortening the results of tools cannot shorten."""
    return run([model(f"m{n}", n, said=f"<{n}> " + f"w{n} " * words) for n in range(1, steps + 1)])


def reading(prompt: Prompt) -> str:
    """Answer the request for a window with notes, and any other with a value."""
    return NOTES if '"findings":' in prompt.system else answer(False, [3, 99])


def numbers_in(prompt: Prompt) -> list[int]:
    return [int(found) for found in re.findall(r"^(\d+) \| ", prompt.user, re.MULTILINE)]


def test_a_long_run_is_read_in_windows_and_judged_once() -> None:
    script = Script([reading])
    result = judge_by(script, **SMALL)(long_run(60))
    *windows, combining = script.asked
    assert len(windows) > 2
    assert (result.value, result.metrics["windows"]) == (False, len(windows))
    assert result.metrics["calls"] == len(windows) + 1
    assert [place.step_id for place in result.evidence] == ["m3"]
    seen = [numbers_in(prompt) for prompt in windows]
    assert sorted({number for each in seen for number in each}) == list(range(1, 61))
    for before, after in pairwise(seen):
        assert after[:2] == before[-2:]  # windows overlap by two steps
    assert "so far" not in windows[0].user
    assert "it searched" in windows[1].user
    assert "step 3 is rude" in combining.user
    assert "it searched" in combining.user
    assert not numbers_in(combining)
    assert result.coverage == 1
    assert result.warnings == ()
    limit = config_of(**SMALL).input_tokens
    assert max(prompt.tokens for prompt in script.asked) <= limit


def test_a_short_run_is_one_request() -> None:
    script = Script([reading])
    assert judge_by(script, **SMALL)(long_run(5)).metrics["windows"] == 1
    assert len(script.asked) == 1


@pytest.mark.parametrize("steps", [35, 3_000])
def test_there_are_no_more_windows_than_may_be_and_what_is_missing_is_told(steps: int) -> None:
    script = Script([reading])
    result = judge_by(script, **SMALL, windows=3)(long_run(steps, 400))
    assert len(script.asked) <= 4
    assert result.coverage is not None
    assert result.coverage < 0.7
    assert result.warnings == (("steps_left_out",) if steps == 3_000 else ())
    told = "".join(prompt.user for prompt in script.asked)
    assert ("lines of steps left out]" in told) is (steps == 3_000)


def test_one_window_leaves_out_the_middle() -> None:
    script = Script([reading])
    result = judge_by(script, **SMALL, windows=1)(long_run(1_000))
    assert (len(script.asked), result.warnings) == (1, ("steps_left_out",))


def test_an_estimate_counts_all_windows_of_all_votes() -> None:
    script = Script([reading])
    judge = judge_by(script, **SMALL, votes=3)
    estimate = judge.evaluator.judging.estimate
    assert estimate is not None
    found = estimate(Subject(long_run(60)))
    judge(long_run(60))
    assert found.calls == len(script.asked)
    assert found.output_tokens == 1_000 * found.calls
    assert found.input_tokens >= sum(prompt.tokens for prompt in script.asked)


def test_a_budget_that_is_spent_between_windows_skips_and_what_was_read_is_kept(
    tmp_path: Path,
) -> None:
    script, cache = Script([reading]), Cache(tmp_path, 60)
    result = judge_by(script, cache, **SMALL, budget={"calls": 2})(long_run(60))
    assert (result.status, len(script.asked)) == ("skipped", 2)
    result = judge_by(script, cache, **SMALL)(long_run(60))
    windows = result.metrics["windows"]
    assert windows is not None
    assert (result.status, result.metrics["cached"]) == ("ok", 2)
    assert len(script.asked) == windows + 1
    again = judge_by(script, cache, **SMALL)(long_run(60))
    assert (again.metrics["calls"], again.cost_usd) == (0, 0)
    assert (again.value, again.evidence) == (result.value, result.evidence)


def test_a_window_that_is_too_long_halves_all_once(tmp_path: Path) -> None:
    script, cache = Script([reading, TOO_LONG, reading]), Cache(tmp_path, 60)
    result = judge_by(script, cache, **SMALL)(long_run(60))
    assert result.status == "ok"
    first, halves = script.asked[0], script.asked[2:]
    assert max(prompt.tokens for prompt in halves) < 0.7 * first.tokens
    asked = len(script.asked)
    judge_by(script, cache, **SMALL)(long_run(60))
    assert len(script.asked) == asked  # the prompt that was too long is not sent again
    script = Script([TOO_LONG])
    assert judge_by(script, **SMALL)(long_run(60)).error_code == "context_overflow"
    assert len(script.asked) == 2


def test_a_window_without_notes_is_asked_for_again_and_then_an_error() -> None:
    script = Script([answer(True)])
    result = judge_by(script, **SMALL, tries=2)(long_run(60))
    assert (result.status, result.error_code) == ("error", "invalid_answer")
    assert len(script.asked) == 2


def test_long_results_are_cut_before_a_run_is_split() -> None:
    steps = [tool(f"t{n}", "read", n, {}, f"<{n}> " + "word " * 3_000) for n in range(1, 9)]
    fitted = fit(step_lines(HeldDocument(run(steps))), Room(4_000, 8, 4_000))
    assert len(fitted.parts) == 1
    assert "characters left out]" in fitted.parts[0]


@pytest.mark.parametrize("context", [2_600, 5_000, 12_000])
@pytest.mark.parametrize("text", ["word ", "十", "a."])
def test_every_prompt_fits(context: int, text: str) -> None:
    steps = [model(f"m{n}", n, said=text * 900) for n in range(1, 150)]
    document = run(steps, input="q" * 9_000, output="a " * 9_000)
    config = config_of(context_tokens=context)
    prompts = prompts_on(read_material(Subject(document, {"response": "r " * 9_000})), config)
    assert 1 < prompts.windows <= config.windows
    long = text * 20_000
    for at in range(prompts.windows):
        assert prompts.window(at, long, HASHED).tokens <= config.input_tokens
    found = [Findings(long, long, ())] * prompts.windows
    assert prompts.combining(found, HASHED).tokens <= config.input_tokens


def test_a_line_longer_than_a_window_is_cut() -> None:
    told = step_lines(HeldDocument(run([model("m1", 1, said="x " * 100_000)])))
    fitted = fit(told, Room(1_000, 4, 1_000))
    assert all(estimated_tokens(part) <= 1_000 for part in fitted.parts)
    assert fitted.coverage < 0.1


def test_tokens_of_windows_are_counted_in_the_cost() -> None:
    script = Script([reading])
    result = judge_by(script, **SMALL)(long_run(60))
    assert result.metrics["input_tokens"] == Usage(1_000, 100).input_tokens * len(script.asked)
