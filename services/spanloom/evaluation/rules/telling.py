"""What each rule says, in a sentence and an example: for people who choose one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from spanloom.evaluation.rules.registry import RULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Told(NamedTuple):
    """A rule in words."""

    says: str
    """When a run fails."""
    example: Any  # JSON


TOLD: Final[Mapping[str, Told]] = {
    "max_steps": Told("There are more steps, the root included if it is an agent.", 20),
    "max_model_calls": Told("There are more calls of models.", 10),
    "max_tool_calls": Told("There are more tool runs.", 4),
    "required_tools": Told("One of the names covers no tool that ran.", ["search", "book_*"]),
    "allowed_tools": Told("A tool ran that none of the names covers.", ["search", "book_*"]),
    "forbidden_tools": Told("A tool ran that one of the names covers.", ["delete_*"]),
    "order": Told("A B starts before an A has ended without error.", ["search", "book"]),
    "never_after": Told("A B starts after an A has ended.", ["book", "cancel"]),
    "repeats": Told(
        "One tool ran so often with equal arguments, without another result in between.", 3
    ),
    "loop": Told(
        "A cycle of at most `period` steps comes `times` times in a row in one agent.",
        {"times": 3, "period": 4},
    ),
    "tokens": Told("It took more tokens; input and output count.", 50_000),
    "cost_usd": Told("It cost more US dollars; an unknown cost is `na`.", 0.5),
    "duration_ms": Told("It took more milliseconds.", 60_000),
    "llm_wall_ms": Told("More milliseconds passed in calls of models.", 30_000),
    "first_token_ms": Told("A first token took more milliseconds.", 2_000),
    "errors": Told("A failed step is neither recovered nor survived.", "handled"),
    "unused_results": Told(
        "A result of a tool reaches no later model call of its agent or of the caller.", True
    ),
    "arguments": Told(
        "Arguments of a tool do not fit the schema with which a model was offered it.", "schema"
    ),
    "pii": Told("A text has personal data, such as an address or a card number.", ["email"]),
    "secrets": Told("A text has a key, a token, or a password in a URL.", True),
    "answer": Told(
        "The answer is empty, or not as it is asked.", {"contains": "booked", "matches": "Oslo"}
    ),
}


def tell_rules() -> Sequence[dict[str, Any]]:  # JSON values
    """Return each rule in the order of the registry: name, when it fails, an example, its view."""
    return [
        {
            "rule": name,
            "fails_if": TOLD[name].says,
            "example": {name: TOLD[name].example},
            "reads": sorted(part.value for part in rule.reads),
        }
        for name, rule in RULES.items()
    ]
