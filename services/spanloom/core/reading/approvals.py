"""What agents ask a person before a tool runs, and what the person says.

The shape of the question is the same for all frameworks: the tool and what it would be given,
``{"tool":"wire_money","arguments":{"to":"Bob"}}``; of several a list. The answer is the same with
``"approved":true``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.reading.values import json_text, json_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.reading.values import Json


def ask_to_run(tool: Json, arguments: Json) -> dict[str, Json]:
    """Return the question whether a tool may run."""
    given = json_value(arguments) if isinstance(arguments, str) else arguments
    return {"tool": tool, "arguments": given}


def as_question(asked: Sequence[dict[str, Json]]) -> str:
    """Return one question as it is, several as a list."""
    return json_text(asked[0] if len(asked) == 1 else list(asked)) if asked else ""
