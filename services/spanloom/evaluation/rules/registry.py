"""Registry of all rules by name, in the order of the documentation.

A new rule is a module and a line here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.evaluation.rules.answer import ANSWER
from spanloom.evaluation.rules.arguments import ARGUMENTS
from spanloom.evaluation.rules.counts import MAX_MODEL_CALLS, MAX_STEPS, MAX_TOOL_CALLS
from spanloom.evaluation.rules.failures import ERRORS
from spanloom.evaluation.rules.limits import (
    COST_USD,
    DURATION_MS,
    FIRST_TOKEN_MS,
    LLM_WALL_MS,
    TOKENS,
)
from spanloom.evaluation.rules.repetition import LOOP, REPEATS
from spanloom.evaluation.rules.sensitive import PII, SECRETS
from spanloom.evaluation.rules.tools import (
    ALLOWED_TOOLS,
    FORBIDDEN_TOOLS,
    NEVER_AFTER,
    REQUIRED_TOOLS,
    TOOL_ORDER,
)
from spanloom.evaluation.rules.unused import UNUSED_RESULTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.evaluation.rules.rule import Rule

RULES: Mapping[str, Rule[Any]] = {
    "max_steps": MAX_STEPS,
    "max_model_calls": MAX_MODEL_CALLS,
    "max_tool_calls": MAX_TOOL_CALLS,
    "required_tools": REQUIRED_TOOLS,
    "allowed_tools": ALLOWED_TOOLS,
    "forbidden_tools": FORBIDDEN_TOOLS,
    "order": TOOL_ORDER,
    "never_after": NEVER_AFTER,
    "repeats": REPEATS,
    "loop": LOOP,
    "tokens": TOKENS,
    "cost_usd": COST_USD,
    "duration_ms": DURATION_MS,
    "llm_wall_ms": LLM_WALL_MS,
    "first_token_ms": FIRST_TOKEN_MS,
    "errors": ERRORS,
    "unused_results": UNUSED_RESULTS,
    "arguments": ARGUMENTS,
    "pii": PII,
    "secrets": SECRETS,
    "answer": ANSWER,
}
