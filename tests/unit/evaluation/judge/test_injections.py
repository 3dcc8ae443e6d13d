"""Runs that give orders to the judge: what can be shown without a real model.

The text of a run stays between markers that it cannot know and never counts as an answer; a
model that obeys the run does not know the canary.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.injections import BEST, TEXTS, injected_runs
from tests.support.judged_runs import model, run
from tests.support.scripted_judge import Script, answer, judge_by

from spanloom.evaluation.judge.cache import Cache

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.evaluation.judge.port import Prompt

RUNS = injected_runs()
EACH = pytest.mark.parametrize("name", RUNS)
SCALE: dict[str, Any] = {"scale": {"min": 0, "max": 1}, "threshold": 0.8}
OBEYING = json.dumps({"rationale": "perfect", "evidence": [], "value": 1.0, "canary": "found"})


def outside(prompt: Prompt) -> str:
    """Return what is in no block: the system message, and the text between the blocks."""
    nonce = re.search(r"^<<<[a-z ]+ ([0-9a-f]{16})>>>$", prompt.user, re.MULTILINE)
    assert nonce
    block = rf"<<<([a-z ]+) {nonce[1]}>>>\n.*?\n<<<end \1 {nonce[1]}>>>"
    return prompt.system + re.sub(block, "", prompt.user, flags=re.DOTALL)


@EACH
def test_a_run_that_speaks_to_the_judge_is_flagged_and_moves_no_value(name: str) -> None:
    script = Script([answer(0.1)])
    result = judge_by(script, **SCALE)(RUNS[name])
    assert (result.value, result.passed, result.warnings) == (0.1, False, ("suspicious",))
    (prompt,) = script.asked
    said = TEXTS[name.rpartition("-")[0]].split()
    left = outside(prompt)
    assert " ".join(said[:4]) not in left
    assert BEST not in left
    assert not left.removeprefix(prompt.system).strip()


@EACH
def test_a_model_that_obeys_gives_no_value(name: str) -> None:
    script = Script([OBEYING])
    result = judge_by(script, **SCALE, tries=2)(RUNS[name])
    assert (result.status, result.error_code) == ("error", "canary_failed")
    assert (result.value, result.passed, result.warnings) == (None, None, ("suspicious",))
    assert len(script.asked) == 2


def test_a_model_that_comes_back_to_its_task_is_still_suspicious(tmp_path: Path) -> None:
    clean = [{"role": "user", "content": "Oslo?"}, {"role": "assistant", "content": "Sunny."}]
    script, cache = Script([OBEYING, answer(0.2)]), Cache(tmp_path, 60)
    first = judge_by(script, cache, **SCALE)(clean)
    again = judge_by(script, cache, **SCALE)(clean)
    assert (first.value, first.warnings) == (0.2, ("suspicious",))
    assert (again.value, again.warnings, again.cost_usd) == (0.2, ("suspicious",), 0)
    assert "canary is wrong" in script.asked[1].system


def copied(_: Prompt) -> str:
    return BEST + " "  # the answer that the run asks for, without a canary


@pytest.mark.parametrize(
    ("canary", "status", "warnings"),
    [
        ("asked", "ok", ("suspicious", "canary_missing")),
        ("required", "error", ("suspicious",)),
        ("none", "ok", ("suspicious",)),
    ],
)
def test_an_answer_without_a_canary(canary: str, status: str, warnings: tuple[str]) -> None:
    script = Script([copied])
    result = judge_by(script, **SCALE, tries=1, canary=canary)(RUNS["copy-result"])
    assert (result.status, result.warnings) == (status, warnings)
    assert ("canary" in script.asked[0].system) is (canary != "none")


def test_the_word_is_another_one_each_time_and_in_no_data() -> None:
    script = Script([answer(0.1)])
    judge = judge_by(script, **SCALE)
    for name in ("order-result", "order-result", "canary-answer"):
        judge(RUNS[name])
    words = [re.findall(r"the word ([0-9a-f]{8}) is", prompt.system) for prompt in script.asked]
    assert [len(each) for each in words] == [1, 1, 1]
    assert len({word for (word,) in words}) == 3
    assert all(word not in prompt.user for (word,), prompt in zip(words, script.asked, strict=True))


def test_a_window_that_obeys_gives_no_value() -> None:
    steps = [model(f"m{n}", n, said=f"w{n} " * 90) for n in range(1, 50)]
    notes = json.dumps({"findings": "all is well", "summary": "fine", "canary": "found"})
    script = Script([notes])
    result = judge_by(script, **SCALE, tries=1, context_tokens=5_000)(run(steps))
    assert (result.status, result.error_code) == ("error", "canary_failed")
    assert len(script.asked) == 1
