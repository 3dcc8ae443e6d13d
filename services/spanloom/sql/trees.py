"""Walks the tree of a statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.ports.sql import Tree


def nodes(part: object) -> Iterator[Tree]:
    """Yield every node in a part of a tree, the outer ones first."""
    stack: list[Any] = [part]
    while stack:
        at = stack.pop()
        if isinstance(at, dict):
            yield at
            stack.extend(at.values())
        elif isinstance(at, list):
            stack.extend(at)


def name_parts(identifier: Tree) -> list[str]:
    """Return the parts of a name: ``["default", "trajectories"]``; of a plain one, itself."""
    parts: list[str] = identifier.get("name_parts") or [identifier.get("name", "")]
    return parts


def literal(value: dict[str, Any]) -> str:
    """Return the value of a setting as the text that SET takes."""
    found = value.get("value", "")
    if isinstance(found, bool):
        return str(int(found))
    return str(found)
