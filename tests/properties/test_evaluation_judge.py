"""Judges take only allowed values from a model's answer, and cut long runs to bounded prompts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scripted_judge import config_of

from spanloom.evaluation.judge.answer import InvalidAnswerError, read_answer
from spanloom.evaluation.judge.fitting import Room, fit
from spanloom.evaluation.judge.port import estimated_tokens
from spanloom.evaluation.judge.steps import Line, StepLines

CONFIGS = [
    config_of(values=["a", "b"]),
    config_of(scale={"min": 0, "max": 1}),
    config_of(),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
LINES = st.lists(
    st.builds(
        Line,
        st.integers(1, 50),
        st.text(min_size=1, max_size=40),
        st.builds(lambda text, times: text * times, st.text(max_size=5), st.integers(0, 900)),
        st.booleans(),
    ),
    max_size=25,
)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.form)
@given(value=JSON, evidence=JSON, around=st.text(max_size=5))
def test_an_answer_is_an_allowed_value_or_none(
    config: object, value: object, evidence: object, around: str
) -> None:
    text = around + json.dumps({"rationale": around, "evidence": evidence, "value": value})
    try:
        answer = read_answer(text, config)  # type: ignore[arg-type]
    except InvalidAnswerError:
        return
    assert answer.value == value or answer.value == str(value).strip()
    assert isinstance(answer.value, bool | float) or answer.value in ("a", "b")
    assert all(isinstance(step, int) for step in answer.steps)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.form)
@given(text=st.text())
def test_a_text_without_an_object_is_no_answer(config: object, text: str) -> None:
    with pytest.raises(InvalidAnswerError):
        read_answer(text.replace("{", ""), config)  # type: ignore[arg-type]


@given(lines=LINES, tokens=st.integers(100, 5_000))
def test_steps_fit_and_their_share_is_known(lines: list[Line], tokens: int) -> None:
    fitted = fit(StepLines(lines, [], 0), Room(tokens))
    assert estimated_tokens(fitted.parts[0]) <= tokens
    assert 0 <= fitted.coverage <= 1
    if sum(len(line.head) + len(line.text) + 3 for line in lines) * 4 <= tokens:
        assert fitted.coverage == 1


@given(lines=LINES, tokens=st.integers(100, 3_000), windows=st.integers(2, 6))
def test_windows_are_bounded_in_number_and_size(
    lines: list[Line], tokens: int, windows: int
) -> None:
    numbered = [line._replace(number=at, head=f"{at} |") for at, line in enumerate(lines, 1)]
    fitted = fit(StepLines(numbered, [], 0), Room(tokens, windows, tokens))
    assert 1 <= len(fitted.parts) <= windows
    assert all(estimated_tokens(part) <= tokens for part in fitted.parts)
    assert 0 <= fitted.coverage <= 1
    starts = {part.partition(" |")[0] for text in fitted.parts for part in text.split("\n")}
    missing = [line.number for line in numbered if str(line.number) not in starts]
    assert len(missing) == fitted.left_out
