"""Writes the prompts for judging a run: the task as system message, the run as user message.

A run that fits has one prompt. A longer run has a prompt for each window of its steps, and a prompt
that combines their findings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.evaluation.judge.canary import HASHED
from spanloom.evaluation.judge.fitting import Room
from spanloom.evaluation.judge.port import Prompt, estimated_tokens
from spanloom.evaluation.judge.tasks import whole_task, window_task
from spanloom.evaluation.judge.texts import cut_middle, cut_to

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.evaluation.judge.answer import Findings
    from spanloom.evaluation.judge.canary import Marks
    from spanloom.evaluation.judge.config import JudgeConfig
    from spanloom.evaluation.judge.fitting import Fitted
    from spanloom.evaluation.judge.material import Material

_SIDE = 8
"""Question, answer, tools and reference get at most one eighth of the tokens each."""
_CHARS_PER_TOKEN = 2
"""Fewer characters than a token usually has, so that texts cut by this number fit."""
_BLOCK_TOKENS = 60
"""An upper estimate of the tokens of a block's markers."""
_LEAST = 100
"""Minimum tokens for the steps in a prompt."""


class Prompts(NamedTuple):
    """Builds the prompts for judging one run, each within a number of tokens."""

    config: JudgeConfig
    material: Material
    sides: Mapping[str, str]
    """Question, tools, answer and reference, shortened."""
    steps: Fitted
    tokens: int
    """The limit of a user message."""

    @property
    def windows(self) -> int:
        """The number of windows; 1 if one prompt has the whole run."""
        return len(self.steps.parts)

    def whole(self, marks: Marks) -> Prompt:
        """Return the prompt with all steps."""
        blocks = self._around({self.material.lines_name: self.steps.parts[0]})
        return Prompt(whole_task(self.config, self.material, marks), _joined(blocks, marks))

    def window(self, at: int, so_far: str, marks: Marks) -> Prompt:
        """Return the prompt of window ``at``, from 0, with the summary of the earlier windows."""
        name = self.material.lines_name
        blocks = {
            "question": self.sides["question"],
            "tools available": self.sides["tools available"],
            "so far": cut_to(so_far, self.tokens // _SIDE),
            name: self.steps.parts[at],
        }
        task = window_task(self.config, self.material, marks, (at + 1, self.windows))
        return Prompt(task, _joined(blocks, marks))

    def combining(self, findings: Sequence[Findings], marks: Marks) -> Prompt:
        """Return the prompt with the findings of all windows."""
        summary = cut_to(findings[-1].summary, self.tokens // _SIDE)
        left = self.tokens - _tokens(self.sides) - self.tokens // _SIDE - 2 * _BLOCK_TOKENS
        most = max(_LEAST, left) // len(findings) - 10
        texts = [
            f"part {at} of {len(findings)}: {cut_to(one.findings, most)}"
            for at, one in enumerate(findings, 1)
        ]
        blocks = self._around({"summary": summary, "findings": "\n".join(texts)})
        task = whole_task(self.config, self.material, marks, len(findings))
        return Prompt(task, _joined(blocks, marks))

    def _around(self, inner: Mapping[str, str]) -> Mapping[str, str]:
        first = {name: self.sides[name] for name in ("question", "tools available")}
        last = {name: self.sides[name] for name in ("answer", "reference")}
        return {**first, **inner, **last}


def prompts_on(material: Material, config: JudgeConfig, share: float = 1.0) -> Prompts:
    """Return the prompts for judging a run, within ``share`` of the configured tokens."""
    left = int(share * config.input_tokens) - task_tokens(config, material)
    most = max(200, left * _CHARS_PER_TOKEN // _SIDE)
    sides = {
        "question": cut_middle(material.question, most),
        "tools available": cut_middle(material.tools, most),
        "answer": cut_middle(material.answer, most),
        "reference": cut_middle(material.reference, most),
    }
    before = {name: sides[name] for name in ("question", "tools available")}
    window = left - _tokens(before) - left // _SIDE - 2 * _BLOCK_TOKENS
    room = Room(max(_LEAST, left - _tokens(sides)), config.windows, max(_LEAST, window))
    return Prompts(config, material, sides, material.fitted(room), left)


def task_tokens(config: JudgeConfig, material: Material) -> int:
    """Return the tokens of the longest system message for judging a run."""
    tasks = [whole_task(config, material, HASHED)]
    if config.windows > 1 and material.steps.lines:
        last = config.windows
        tasks.append(whole_task(config, material, HASHED, last))
        tasks.append(window_task(config, material, HASHED, (last, last)))
    return max(map(estimated_tokens, tasks)) + 4


def _tokens(blocks: Mapping[str, str]) -> int:
    return sum(estimated_tokens(text) + _BLOCK_TOKENS for text in blocks.values())


def _joined(blocks: Mapping[str, str], marks: Marks) -> str:
    return "\n\n".join(_block(name, text, marks.nonce) for name, text in blocks.items() if text)


def _block(name: str, text: str, nonce: str) -> str:
    return f"<<<{name} {nonce}>>>\n{text}\n<<<end {name} {nonce}>>>"
