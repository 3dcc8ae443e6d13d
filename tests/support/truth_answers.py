"""Checks that agents show the request they received and the answer they returned.

An agent's answer is the output of its last model call, if that call has no tool call. If the truth
has no texts, the last model call of the trajectory is used.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.support.ground_truth import Answer, Capture

Json = dict[str, Any]  # documents as in API responses
_FORMS = ("final_answer(", "[[ ## ")
"""Beginnings of code and DSPy's form: their result is the answer, which the truth lacks."""


def find_false_answers(capture: Capture, answers: Sequence[Answer]) -> Iterator[str]:
    """Yield a line for each agent whose last run lacks the answer of its last model call.

    Also yields a line for each such run whose request differs from the truth.
    """
    shown = {
        str(agent["metadata"].get("agent_name", agent["name"])): agent
        for answer in answers
        for agent in sorted(_agents(answer), key=_started)
        if agent["output"] and not came_to_nothing(answer, agent)
    }
    agents = {c["name"]: c for c in capture.truth["components"] if c["kind"] == "agent"}
    for name, agent in shown.items():
        calls = agents[name]["model_calls"] if name in agents else ()
        expected = _given(capture, calls) or _shown_last(capture, agent)
        if expected and words(agent["output"]) not in expected:
            yield f"agent {name} answers {agent['output'][:60]!r}, in truth {expected}"
        request = agents.get(name, {}).get("request", agent["input"])
        if words(agent["input"]) != words(request):
            yield f"agent {name} was asked {agent['input'][:60]!r}, in truth {request!r}"


def _agents(answer: Answer) -> Iterator[Json]:
    """Yield the agents of a run; a root with steps that is not an agent is left out."""
    root, kind = answer.document["root_step"], answer.document["extraction"]["root_type"]
    for agent in answer.document["agent_steps"]:
        if agent["id"] != root["id"] or kind == "agent":
            yield agent


def _is_form(text: str) -> bool:
    return any(form in text for form in _FORMS)


def _given(capture: Capture, of_agent: Sequence[int]) -> set[str]:
    """Return the true answers of an agent's model calls; empty if the last call had no answer."""
    calls = {call["seq"]: call for call in capture.truth.get("model_calls", [])}
    own = [calls[seq] for seq in sorted(of_agent) if seq in calls]
    answered = [
        c for c in own if c.get("status", 200) == 200 and c["text"] and not c["asks_for_tools"]
    ]
    is_answer = answered and answered[-1] is own[-1] and not _is_form(answered[-1]["text"])
    return {words(c["text"]) for c in answered} if is_answer else set()


def _shown_last(capture: Capture, agent: Json) -> set[str]:
    """Return the output of the agent's last step if it is an answer and the truth has no texts."""
    last = agent["steps"][-1] if agent["steps"] else {"type": "none"}
    if capture.truth.get("model_calls") or last["type"] != "model":
        return set()
    messages = json.loads(last["output"]) if last["output"].startswith("[{") else []
    text = "".join(text_of(m.get("content")) for m in messages)
    is_answer = text and not any(m.get("tool_calls") for m in messages)
    return {words(text)} if is_answer and not _is_form(text) else set()


def _started(step: Json) -> int:
    return int(step["basic_info"]["started_at"])


def as_written(value: object) -> str:
    """Return a text unchanged, other data as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def words(text: str) -> str:
    """Return a text without white space, or JSON in a canonical form."""
    try:
        value = json.loads(text)
    except ValueError:
        return plain(text)
    return plain(json.dumps(value, sort_keys=True, ensure_ascii=False))


STOPPED = ("paused", "cancelled")
"""Outcomes of steps and runs that have no answer although they did not fail."""


def came_to_nothing(answer: Answer, step: Json) -> bool:
    """Return whether there is no answer: the run or step failed, was cancelled, or is paused."""
    outcome = answer.document["extraction"]["outcome"]
    if outcome in ("failed", *STOPPED) or "error" in step["basic_info"]:
        return True
    return step["metadata"].get("outcome") in STOPPED


def text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part.get("text", "") for part in parts)


def plain(text: str) -> str:
    return "".join(text.split())
