"""A made-up run: agents hand over to others, and each calls models and tools."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

import orjson

from benchmarks.workload import MODELS, SECOND
from spanloom.core.model.step import Step, StepError, StepType, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

TOOLS = (
    *("search", "get_order", "list_orders", "verify", "refund", "send_mail", "get_weather"),
    *("book_table", "read_file", "write_file", "run_code", "query_database", "translate", "检索"),
)
"""Names of tools, the most frequently called first."""
AGENTS = ("triage", "refunds", "planner", "researcher", "writer", "退款助手")
ERRORS = ((429, "rate limit exceeded"), (500, "upstream timeout"), (-1, "KeyError: 'city'"))
FAILING = 1 / 30
"""Share of all calls that fail."""
MEDIAN_STEPS, SPREAD, MOST_STEPS = 8.2, 0.95, 400
REMEMBERED = 12
"""Maximum number of messages in a model's input."""
_MS = SECOND // 1000
_TOOL_WEIGHTS = [1 / (n + 1) for n in range(len(TOOLS))]


class Made(NamedTuple):
    """An agent and its steps."""

    agent: Step
    steps: list[Step]


class AgentRun:
    """Makes the steps of a run."""

    def __init__(self, number: int, start_ns: int, passages: Sequence[str]) -> None:
        """Begin a run; equal arguments make equal runs."""
        self._random, self._number, self._passages = Random(number), number, passages
        self._now, self._start_ns = start_ns, start_ns
        self._said: list[dict[str, str]] = []
        self._ids = number << 20
        self._made: list[Made] = []

    def make(self) -> Sequence[Made]:
        """Return the run's agents with their steps, the root first."""
        question = f"ORD-{self._number}: {self._text()}"
        root = self._step(StepType.AGENT, self._random.choice(AGENTS), "", question)
        self._open(root, question)
        left = min(int(MEDIAN_STEPS * self._random.lognormvariate(0, SPREAD)) + 1, MOST_STEPS)
        while left > 0:
            if left > 6 and self._random.random() < 0.12:
                self._hand_over()
                left -= 1
            left -= self._turn()
        ended = root._replace(end_ns=self._now, output=self._text())
        return [self._made[0]._replace(agent=ended), *self._made[1:]]

    def _open(self, agent: Step, text: str) -> None:
        self._made.append(Made(agent, []))
        self._said.append({"role": "user", "content": text})

    def _hand_over(self) -> None:
        above, below = self._made[-1]
        text = self._text()
        agent = self._step(StepType.AGENT, self._random.choice(AGENTS), above.id, text)
        agent = agent._replace(end_ns=agent.start_ns + 20_000 * _MS, output=self._text())
        below.append(agent)
        self._open(agent, text)

    def _turn(self) -> int:
        """Add a model call and the tool calls it requests; return the number of steps."""
        random, (agent, steps) = self._random, self._made[-1]
        tools = random.choices(TOOLS, _TOOL_WEIGHTS, k=random.choice((0, 1, 1, 2)))
        given = orjson.dumps(self._said[-REMEMBERED:]).decode()
        answer = self._text()
        steps.append(self._step(StepType.MODEL, "chat", agent.id, given, answer))
        self._said.append({"role": "assistant", "content": answer})
        for tool in tools:
            asked = orjson.dumps({"query": random.choice(TOOLS), "limit": random.randrange(9)})
            found = self._text()
            steps.append(self._step(StepType.TOOL, tool, agent.id, asked.decode(), found))
            self._said.append({"role": "tool", "content": found})
        return 1 + len(tools)

    def _step(self, kind: StepType, name: str, parent: str, given: str, answer: str = "") -> Step:
        random, start_ns = self._random, self._now
        self._ids += 1
        is_model = kind is StepType.MODEL
        self._now += int(random.expovariate(1 / (900 if is_model else 150)) * _MS) + _MS
        failed = kind is not StepType.AGENT and random.random() < FAILING
        usage = Usage(len(given) // 4, len(answer) // 4 + 1, 5, 7) if is_model else None
        told = {"dialect": "openinference"}
        if is_model:
            told |= {"cost": f"{len(given) / 4e6:.6f}", "cost_source": "sender"}
        if random.random() < 0.2:
            told["tier"] = random.choice(("gold", "silver", "free"))
        return Step(
            id=f"{self._ids * 0x9E3779B97F4A7C15 % 2**64:016x}",
            parent_id=parent,
            type=kind,
            name=name,
            start_ns=start_ns,
            end_ns=self._now,
            input=given,
            output="" if failed else answer,
            error=StepError(*random.choice(ERRORS)) if failed else None,
            usage=usage,
            model=random.choices(MODELS, (5, 3, 2))[0] if is_model else "",
            first_token_ms=float(random.randrange(80, 900)) if is_model else None,
            metadata=told,
        )

    def _text(self) -> str:
        return f"{self._random.choice(self._passages)} {self._random.getrandbits(48):x}"
