"""Counts the spending of a judge: for one judgement, and against the evaluator's budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanloom.core.model.step import Usage
from spanloom.evaluation.judge.ledger import BudgetSpentError, RunLedger
from spanloom.evaluation.judge.port import estimated_tokens
from spanloom.evaluation.judge.prices import rates_of, usd

if TYPE_CHECKING:
    from spanloom.evaluation.judge.config import Budget
    from spanloom.evaluation.judge.ledger import Ledger
    from spanloom.evaluation.judge.port import Prompt, Reply


@dataclass
class Tally:
    """The requests, tokens and cost of one judgement."""

    calls: int = 0
    cached: int = 0
    """The number of answers from the cache."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    """The cost in US dollars; ``None`` once the cost of a call is unknown."""

    def add(self, usage: Usage, cost: float | None) -> None:
        """Add the tokens and the cost of a request that the model has answered."""
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        known = self.cost_usd is not None and cost is not None
        self.cost_usd = (self.cost_usd or 0.0) + (cost or 0.0) if known else None

    def metrics(self) -> dict[str, float | None]:
        """Return the counts as the metrics of a result."""
        return {
            "calls": float(self.calls),
            "cached": float(self.cached),
            "input_tokens": float(self.input_tokens),
            "output_tokens": float(self.output_tokens),
        }


class Spending:
    """Enforces the budget of an evaluator; safe to share between threads.

    Limits are checked before each call, so that only calls in flight can exceed them; the limit of
    calls is exact.
    """

    def __init__(self, budget: Budget, model: str, ledger: Ledger | None = None) -> None:
        """Continue with the totals in ``ledger``; if there is none, start at zero."""
        self._budget = budget
        self._model = model
        self._ledger = ledger or RunLedger()

    def begin(self, tally: Tally) -> None:
        """Count a call that begins now; raises ``BudgetSpentError`` if the budget is spent."""
        with self._ledger.open() as spent:
            for name in ("calls", "tokens", "usd"):
                limit = getattr(self._budget, name)
                if limit is not None and getattr(spent, name) >= limit:
                    span = " a day" if self._budget.per == "day" else ""
                    raise BudgetSpentError(f"budget.{name} of {limit:g}{span} is spent")
            spent.calls += 1
        tally.calls += 1

    def end(self, tally: Tally, prompt: Prompt, reply: Reply) -> int:
        """Count the tokens and cost of a finished call, and return its tokens.

        The budget counts estimates if the provider reports no usage. Raises ``BudgetSpentError`` if
        the totals cannot be recorded.
        """
        tally.add(reply.usage, usd(reply.usage, rates_of(self._model)))
        counted = reply.usage
        if not counted.input_tokens:
            counted = Usage(prompt.tokens, counted.output_tokens or estimated_tokens(reply.text))
        tokens = counted.input_tokens + counted.output_tokens
        with self._ledger.open() as spent:
            spent.tokens += tokens
            spent.usd += usd(counted, rates_of(self._model)) or 0.0
        return tokens
