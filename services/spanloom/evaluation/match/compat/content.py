"""Reads the content of a message as both libraries do: a text, or a list of texts and blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    _Block: TypeAlias = str | Mapping[str, Any]  # JSON values

_NEEDED = {
    "text": ("text",),
    "image_url": ("image_url",),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("content", "tool_use_id"),
}
"""Members that a block must have, keyed by its type."""
_LEFT_OUT = frozenset({"tool_use", "tool_result"})
"""Blocks that are not read as content."""


class RaisesError(ValueError):
    """The library raises an exception for this input."""


def read_content(content: object, role: str) -> Sequence[_Block]:
    """Return the blocks of a content, none for a text; raises if the libraries do."""
    if not content or isinstance(content, str):
        return ()
    if not isinstance(content, list):
        if role == "tool":  # a result of any other type becomes a text
            return ()
        raise RaisesError("the content is neither a text nor a list")
    if role == "tool":
        content = [block if isinstance(block, str | dict) else str(block) for block in content]
    for block in content:
        if not isinstance(block, str | dict):
            raise RaisesError("a part of the content is neither a text nor an object")
        _check(block)
    _check_text(content)
    return content


def _check(block: _Block) -> None:
    needed = () if isinstance(block, str) else _NEEDED.get(_type(block), ())
    for name in needed:
        if name not in block:
            raise RaisesError(f"a block of the content has no {name}")


def _type(block: _Block) -> Any:  # as given
    kind = "text" if isinstance(block, str) else block.get("type")
    return kind if isinstance(kind, str) else None


def _check_text(content: Sequence[_Block]) -> None:
    """Raise if a block has no type, or a text block no text."""
    kept = [block for block in content if _type(block) not in _LEFT_OUT]
    for block in kept:
        if not isinstance(block, str) and "type" not in block:
            raise RaisesError("a block of the content has no type")
        if _type(block) != "text":
            return
    if any(not isinstance(b, str) and not isinstance(b["text"], str) for b in kept):
        raise RaisesError("the text of a block is none")


def is_result(blocks: Sequence[_Block]) -> bool:
    """Return whether blocks include results of tools, and all others are ignored blocks.

    The libraries then treat the message as a tool message.
    """
    kinds = [_type(block) for block in blocks]
    return "tool_result" in kinds and _LEFT_OUT.issuperset(kinds)


def calls_in(blocks: Sequence[_Block], role: str) -> Iterator[Mapping[str, Any]]:
    """Yield the blocks that are calls; raises if the role is not ``assistant``."""
    for block in blocks:
        if not isinstance(block, str) and _type(block) == "tool_use":
            if role != "assistant":
                raise RaisesError(f"a {role} has no calls")
            yield block
