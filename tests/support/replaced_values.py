"""Copies of a JSON value, in each of which one inner value has another type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

    Path = tuple[str | int, ...]

OTHERS: tuple[Any, ...] = ([], ["x"], {"a": 1}, [{"type": []}], None, 7, 1e300, "")


def replaced(whole: Any) -> Iterator[Any]:
    """Yield the copies; among items of a list with equal members only the first is changed."""
    text, seen = orjson.dumps(whole), set()
    for path in _paths(whole, ()):
        shape = tuple("*" if isinstance(key, int) else key for key in path)
        if shape not in seen:
            seen.add(shape)
            yield from (_with(orjson.loads(text), path, other) for other in OTHERS)


def _paths(value: Any, above: Path) -> Iterator[Path]:
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*above, key)
        if isinstance(inner, (dict, list)):
            yield from _paths(inner, (*above, key))


def _with(value: Any, path: Path, other: object) -> Any:
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = other
    return value
