"""Describes each rule for users, by a sentence and an example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from spanloom.evaluation.rules.registry import RULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Description(NamedTuple):
    """A rule in natural language."""

    fails_if: str
    """The condition under which a run fails."""
    example: Any  # JSON


DESCRIPTIONS: Final[Mapping[str, Description]] = {
    "max_steps": Description("There are more steps, the root included if it is an agent.", 20),
    "max_model_calls": Description("There are more calls of models.", 10),
    "max_tool_calls": Description("There are more tool runs.", 4),
    "required_tools": Description(
        "One of the names covers no tool that ran.", ["search", "book_*"]
    ),
    "allowed_tools": Description("A tool ran that none of the names covers.", ["search", "book_*"]),
    "forbidden_tools": Description("A tool ran that one of the names covers.", ["delete_*"]),
    "order": Description("A B starts before an A has ended without error.", ["search", "book"]),
    "never_after": Description("A B starts after an A has ended.", ["book", "cancel"]),
    "repeats": Description(
        "One tool ran so often with equal arguments, without another result in between.", 3
    ),
    "loop": Description(
        "A cycle of at most `period` steps comes `times` times in a row in one agent.",
        {"times": 3, "period": 4},
    ),
    "tokens": Description("It took more tokens; input and output count.", 50_000),
    "cost_usd": Description("It cost more US dollars; an unknown cost is `na`.", 0.5),
    "duration_ms": Description("It took more milliseconds.", 60_000),
    "llm_wall_ms": Description("More milliseconds passed in calls of models.", 30_000),
    "first_token_ms": Description("A first token took more milliseconds.", 2_000),
    "errors": Description("A failed step is neither recovered nor survived.", "handled"),
    "unused_results": Description(
        "A result of a tool reaches no later model call of its agent or of the caller.", True
    ),
    "arguments": Description(
        "Arguments of a tool do not fit the schema with which a model was offered it.", "schema"
    ),
    "pii": Description("A text has personal data, such as an address or a card number.", ["email"]),
    "secrets": Description("A text has a key, a token, or a password in a URL.", True),
    "answer": Description(
        "The answer is empty, or not in the required form.",
        {"contains": "booked", "matches": "Oslo"},
    ),
}


def describe_rules() -> Sequence[dict[str, Any]]:  # JSON values
    """Return for each rule, in the order of the registry: name, failure, example and view."""
    return [
        {
            "rule": name,
            "fails_if": DESCRIPTIONS[name].fails_if,
            "example": {name: DESCRIPTIONS[name].example},
            "reads": sorted(part.value for part in rule.reads),
        }
        for name, rule in RULES.items()
    ]
