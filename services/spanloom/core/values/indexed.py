"""Rebuilds lists and objects from flattened attribute keys such as ``gen_ai.prompt.0.role``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from spanloom.core.values.attributes import Json, written
from spanloom.core.values.bounds import ByteCache, note_unread

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


MAX_DEPTH = 32
"""Maximum number of splits of a key; the rest of the key stays unsplit."""
MIN_PLAN_NODES = 340
MIN_BYTES_PER_NODE = 12
"""Minimum bytes of keys per list or object that they name: rebuilding each takes 700 bytes."""
CACHE_BYTES = 32 * 2**20
_BYTES_PER_KEY, _BYTES_PER_CHAR = 200, 25
"""Upper bound of a cached plan's size in bytes: per key, and per character of its keys."""

_Key: TypeAlias = "tuple[tuple[str, ...], str, frozenset[str]]"


def indexed_list(
    attributes: Mapping[str, str], prefix: str, drop: frozenset[str] = frozenset()
) -> list[Json]:
    """Rebuild the list whose items have keys of ``prefix`` (with its dot) and a number.

    ``p.0.role = user`` and ``p.0.content = hi`` → ``[{"role": "user", "content": "hi"}]``.

    Gaps in the numbering are closed. Key components in ``drop`` that wrap an item or a nested
    object (OpenInference's ``message``, ``tool_call``) are omitted from the result.
    """
    key = (tuple(attributes), prefix, drop)
    shape = _plans.get(key)
    if shape is None:
        shape = _plans.keep(key, _plan(*key), _plan_bytes(attributes))
    if shape is _TOO_MANY:
        note_unread(prefix)
    return [_fill(item, attributes) for item in shape] if isinstance(shape, list) else []


def indexed_text(
    attributes: Mapping[str, str], prefix: str, drop: frozenset[str] = frozenset()
) -> str:
    """Return the list of ``indexed_list`` as compact JSON; an empty text if it is empty."""
    items = indexed_list(attributes, prefix, drop)
    return written(items) if items else ""


_plans: ByteCache[_Key, Json] = ByteCache(CACHE_BYTES)
_TOO_MANY: Json = "too many"


def _plan_bytes(keys: Collection[str]) -> int:
    return _BYTES_PER_KEY * len(keys) + _BYTES_PER_CHAR * sum(map(len, keys))


def _plan(keys: tuple[str, ...], prefix: str, drop: frozenset[str]) -> Json:
    """Return the list with attribute keys as values; cached, because many spans have equal keys.

    Return ``_TOO_MANY`` if the keys name too many objects for their length.
    """
    matching = [key for key in keys if key.startswith(prefix)]
    room = max(MIN_PLAN_NODES, sum(map(len, matching)) // MIN_BYTES_PER_NODE)
    root: dict[str, Json] = {}
    for key in matching:
        path = key[len(prefix) :].split(".", MAX_DEPTH)
        room -= _put(root, [part for part in path if part not in drop], key)
        if room < 0:
            return _TOO_MANY
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


def _put(node: dict[str, Json], path: Sequence[str], value: str) -> int:
    """Store the value at the path; return how many objects had to be created."""
    made = 0
    for part in path[:-1]:
        child = node.get(part)
        if not isinstance(child, dict):
            child = node[part] = {}
            made += 1
        node = child
    if path:
        node[path[-1]] = value
    return made


def _lists(node: Json) -> Json:
    if not isinstance(node, dict):
        return node
    if all(map(str.isdecimal, node)):
        # By length, then by digits, which is numeric order without parsing long numbers.
        return [_lists(node[key]) for key in sorted(sorted(node), key=len)]
    # Attributes come in any order; code that reads a message looks for its role first.
    return {key: _lists(node[key]) for key in sorted(node, key=_role_first)}


def _role_first(key: str) -> tuple[bool, str]:
    return key != "role", key
