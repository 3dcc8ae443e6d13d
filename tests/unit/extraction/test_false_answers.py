"""``check_ends`` accepts only the output of an agent's last model call as the agent's answer."""

from __future__ import annotations

import pytest
from tests.support.extracted_captures import extract_capture
from tests.support.ground_truth import Answer, Capture
from tests.support.truth_texts import check_ends


@pytest.fixture(scope="module")
def capture() -> Capture:
    return Capture("other-vercel-ai-7", "react_tools")


def test_the_answer_of_the_last_call_is_right(capture: Capture) -> None:
    assert check_ends(capture, extract_capture(capture)) == []


def test_another_step_s_words_are_a_false_answer(capture: Capture) -> None:
    [answer] = extract_capture(capture)
    for agent in answer.document["agent_steps"]:
        told = [step["output"] for step in agent["steps"] if step["type"] == "tool"][-1]
        shown = {**agent, "output": told}
        document = {**answer.document, "agent_steps": [shown], "root_step": shown}
        assert check_ends(capture, [Answer(document, answer.spans)])
