"""Lists and objects flattened into attribute keys: ``gen_ai.prompt.0.role`` and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.values import Json, json_text

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

MAX_DEPTH = 32
"""Parts of a key that are taken apart; what follows stays one part."""


def indexed_list(
    attributes: Mapping[str, str], prefix: str, drop: Container[str] = ()
) -> list[Json]:
    """Rebuild the list whose items stand under ``prefix`` (with its dot) and a number.

    Holes in the numbering are closed. Parts in ``drop`` that wrap every item or nested object
    (OpenInference's ``message``, ``tool_call``) is left out of the result.
    """
    root: dict[str, Json] = {}
    for key, value in attributes.items():
        if key.startswith(prefix):
            parts = key[len(prefix) :].split(".", MAX_DEPTH)
            _put(root, [part for part in parts if part not in drop], value)
    listed = _lists(root)
    return listed if isinstance(listed, list) else []


def indexed_text(attributes: Mapping[str, str], prefix: str, drop: Container[str] = ()) -> str:
    """Give the list as compact JSON, or an empty text if there is none."""
    items = indexed_list(attributes, prefix, drop)
    return json_text(items) if items else ""


def _put(node: dict[str, Json], path: list[str], value: str) -> None:
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
    if node and all(key.isdecimal() for key in node):
        return [_lists(node[key]) for key in sorted(node, key=int)]
    return {key: _lists(value) for key, value in node.items()}
