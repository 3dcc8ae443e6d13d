"""Query parameters for the driver; a list goes over as JSON, which the query takes apart.

As a literal of its own type a list of a thousand ids costs more to parse than to look up: the
engine makes a syntax tree of it. As text it is read at a third of that, and the driver, which
escapes character by character, has nothing left to do.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, TypeVar

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Key = TypeVar("Key", bound=Hashable)

KEYS_PER_QUERY = 2_000
"""From a megabyte on, some 24,000 keys, the engine takes a list apart again and again."""


def bind(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters as the driver takes them; a list becomes a ``String`` of JSON.

    Its query says ``JSONExtract({name:String}, 'Array(…)')``.
    """
    return {
        name: _JsonList(value) if isinstance(value, list) else value
        for name, value in parameters.items()
    }


def batched(keys: Sequence[Key], most: int = KEYS_PER_QUERY) -> Iterable[list[Key]]:
    """Cut keys into lists that fit into one query's parameters, each key once."""
    unique = list(dict.fromkeys(keys))
    return (unique[i : i + most] for i in range(0, len(unique), most))


class _JsonList:
    """A list that writes itself: the driver takes the text of any object it does not know."""

    __slots__ = ("_values",)

    def __init__(self, values: Sequence[object]) -> None:
        self._values = values

    def __str__(self) -> str:
        """Return JSON, which has no control characters, escaped as parameters are: like TSV."""
        text = orjson.dumps(self._values, default=tuple).decode()  # named tuples are tuples here
        return text.replace("\\", "\\\\")
