"""Lists and objects flattened into attribute keys: ``gen_ai.prompt.0.role`` and the like."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from spanloom.core.dialects.values import Json, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_DEPTH = 32
"""Parts of a key that are taken apart; what follows stays one part."""
CACHED_KEYS = 256
"""Plans of longer key sets are not kept: keys are foreign and would fill the memory."""


def indexed_list(
    attributes: Mapping[str, str], prefix: str, drop: frozenset[str] = frozenset()
) -> list[Json]:
    """Rebuild the list whose items stand under ``prefix`` (with its dot) and a number.

    Holes in the numbering are closed. Parts in ``drop`` that wrap an item or a nested object
    (OpenInference's ``message``, ``tool_call``) are left out of the result.
    """
    plan = _plan if len(attributes) <= CACHED_KEYS else _plan.__wrapped__
    shape = plan(tuple(attributes), prefix, drop)
    return [_fill(item, attributes) for item in shape] if isinstance(shape, list) else []


def indexed_text(
    attributes: Mapping[str, str], prefix: str, drop: frozenset[str] = frozenset()
) -> str:
    """Give the list as compact JSON, or an empty text if there is none."""
    items = indexed_list(attributes, prefix, drop)
    return written(items) if items else ""


@lru_cache(maxsize=1024)
def _plan(keys: tuple[str, ...], prefix: str, drop: frozenset[str]) -> Json:
    """Give the list with keys for values: spans of one kind repeat their keys."""
    root: dict[str, Json] = {}
    for key in keys:
        if key.startswith(prefix):
            path = key[len(prefix) :].split(".", MAX_DEPTH)
            _put(root, [part for part in path if part not in drop], key)
    return _lists(root) if root else []


def _fill(shape: Json, attributes: Mapping[str, str]) -> Json:
    if isinstance(shape, dict):
        return {
            key: attributes[inner] if isinstance(inner, str) else _fill(inner, attributes)
            for key, inner in shape.items()
        }
    if isinstance(shape, str):
        return attributes[shape]
    return [_fill(inner, attributes) for inner in shape] if isinstance(shape, list) else shape


def _put(node: dict[str, Json], path: Sequence[str], value: str) -> None:
    for part in path[:-1]:
        child = node.get(part)
        if not isinstance(child, dict):
            child = node[part] = {}
        node = child
    if path:
        node[path[-1]] = value


def _lists(node: Json) -> Json:
    if not isinstance(node, dict):
        return node
    if all(map(str.isdecimal, node)):
        # By length, then by digits: numeric order without reading numbers of any length.
        return [_lists(node[key]) for key in sorted(sorted(node), key=len)]
    # Attributes come in any order; whoever reads a message looks for its role first.
    return {key: _lists(node[key]) for key in sorted(node, key=_role_first)}


def _role_first(key: str) -> tuple[bool, str]:
    return key != "role", key
