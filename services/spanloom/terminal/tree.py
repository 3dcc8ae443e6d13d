"""The lines that draw a tree of steps on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.terminal.values import Signs

MAX_LEVELS = 16
"""Levels that are drawn; below them the outermost make room."""
_NAME_CELLS = 12
"""What a name gets at least, with the sign before it."""


class Nested(Protocol):
    """Whatever has others of its kind below it."""

    @property
    def children(self) -> Sequence[Self]:
        """Those below it, in order."""


NodeT = TypeVar("NodeT", bound=Nested)


class Branch(NamedTuple, Generic[NodeT]):
    """A node and the lines that lead to it."""

    node: NodeT
    lead: str
    """What stands before the node's sign."""
    below: str
    """What stands before further lines of the same node."""


def levels_in(width: int) -> int:
    """Return how many levels to draw, so that in half of a line names have room beside them."""
    return max(1, min(MAX_LEVELS, (width // 2 - _NAME_CELLS) // 3 - 1))


def walk(root: NodeT, signs: Signs, levels: int = MAX_LEVELS) -> Iterator[Branch[NodeT]]:
    """Yield every node, parents first, with the lines that draw the tree."""
    stack = [Branch(root, "", "")]
    while stack:
        branch = stack.pop()
        yield branch
        below = branch.below[-len(signs.through) * levels :]
        for at, child in enumerate(reversed(branch.node.children)):
            corner, through = (signs.last, "   ") if at == 0 else (signs.branch, signs.through)
            stack.append(Branch(child, below + corner, below + through))
