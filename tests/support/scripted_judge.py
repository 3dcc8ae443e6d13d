"""A judge whose model answers by a script, immediately and without a network."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support.loopback_model import with_canary

from spanloom.core.model.step import Usage
from spanloom.evaluation.contract.result import Results
from spanloom.evaluation.evaluate import judge_one
from spanloom.evaluation.evaluator import Evaluator
from spanloom.evaluation.judge.cache import Cache
from spanloom.evaluation.judge.config import JudgeConfig
from spanloom.evaluation.judge.kind import make_judge
from spanloom.evaluation.judge.port import Reply
from spanloom.evaluation.subject.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.evaluation.contract.result import Result
    from spanloom.evaluation.judge.port import Prompt

MODEL = "openai-chat:gpt-4o-mini"
USAGE = Usage(1_000, 100)
COST = 0.00021
"""The cost of a call with that usage, in US dollars."""
RUN: list[dict[str, Any]] = [
    {"role": "system", "content": "Help."},
    {"role": "user", "content": "Oslo?"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
    {"role": "assistant", "content": "It is sunny."},
]


def answer(value: Any, evidence: Sequence[object] = (), rationale: str = "so") -> str:
    """Return the text of an answer."""
    return json.dumps({"rationale": rationale, "evidence": list(evidence), "value": value})


def config_of(**members: Any) -> JudgeConfig:
    """Return a configuration, by default with the values true and false."""
    return JudgeConfig.model_validate({"model": MODEL, "criteria": "Is it polite?", **members})


@dataclass
class Script:
    """Responds with texts, replies and errors in turn; the last one is repeated."""

    answers: Sequence[str | Reply | Exception | Callable[[Prompt], str]]
    asked: list[Prompt] = field(default_factory=list)
    output_tokens: list[int] = field(default_factory=list)

    def __call__(self, prompt: Prompt, *, output_tokens: int, timeout_s: float) -> Reply:  # noqa: ARG002
        """Return the next response, or raise it."""
        given = self.answers[min(len(self.asked), len(self.answers) - 1)]
        if callable(given):
            given = given(prompt)
        self.asked.append(prompt)
        self.output_tokens.append(output_tokens)
        if isinstance(given, Exception):
            raise given
        if not isinstance(given, str):
            return given
        return Reply(with_canary(given, prompt._asdict()), USAGE)


@dataclass
class ScriptedJudge:
    """A judge that evaluates runs with a scripted model."""

    evaluator: Evaluator
    waits: list[float]
    """The seconds of each wait before a retry."""

    def __call__(self, run: object = RUN, expected: Any = None) -> Result:
        """Return the result of a run."""
        (result,) = judge_one(Subject(run, expected), self.evaluator)
        return result


def judge_by(script: Script, cache: Cache | None = None, **members: Any) -> ScriptedJudge:
    """Return a judge that uses the script as its model."""
    waits: list[float] = []
    results = Results("polite", "judge")
    judging = make_judge(
        config_of(**members), results, script, cache or Cache(None, 0), waits.append
    )
    return ScriptedJudge(Evaluator("polite", "judge", {}, "", judging), waits)
