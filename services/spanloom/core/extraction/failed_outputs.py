"""What a tool gave although it failed, apart from what only says once more that it did.

Instrumentations write the failure into the result where there is no other: ``{}``, ``Error: no such
city``, ``{"error": "no such city"}``. That stands in the step's error already. A tool may also have
recorded what it had when it failed, ``{"rows": 20, "error": "timeout"}``, and a framework what it
told the model instead: that is an output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.reading.values import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.model.trajectory import StepError

_FRAMES = frozenset({"role", "type", "id", "name", "status", "tool_call_id"})
"""Keys of the shape in which a result is told, whatever it is."""
MOST_AROUND = 60
"""Characters around the failure that add nothing: ``Error calling tool 'get_weather': ``."""


def says_more(output: str, error: StepError) -> bool:
    """Return whether the output of a failed tool tells anything that its failure does not."""
    endings = error.message.rstrip(), error.traceback.rstrip()  # once: a traceback may be long
    return any(_adds(leaf, error, endings) for leaf in _leaves(json_value(output)))


def _leaves(told: object) -> Iterator[object]:
    """Yield what a JSON value tells, without its keys and what is true, false or null."""
    waiting = [told]
    while waiting:
        match waiting.pop():
            case dict() as mapping:
                waiting += [inner for key, inner in mapping.items() if key not in _FRAMES]
            case list() as items:
                waiting += items
            case None | bool() | "":
                pass
            case leaf:
                yield leaf


def _adds(leaf: object, error: StepError, endings: tuple[str, ...]) -> bool:
    """Return whether one text or number is told by the failure too, perhaps in fewer words."""
    if not isinstance(leaf, str):
        return leaf != error.code
    said = leaf.strip()
    if said == error.type or any(told.endswith(said) for told in endings):
        return False
    return len(said) - len(error.message) > MOST_AROUND or error.message not in said
