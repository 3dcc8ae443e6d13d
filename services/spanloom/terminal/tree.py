"""Draws the tree of steps: names on the left, durations, tokens and bars in columns."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, Self, TypeVar

from rich.text import Text

from spanloom.core.document import whole
from spanloom.core.showing.values import duration, printable
from spanloom.terminal.message_lines import failure_texts
from spanloom.terminal.output import TYPE_STYLES, Signs, cut, outcome_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentFailure
    from spanloom.core.showing.steps import Node


MAX_LEVELS = 16
"""Maximum levels of indentation; deeper nodes omit the levels of their outermost ancestors."""
_NAME_CELLS = 12
"""Minimum width of a name with its sign."""


class Nested(Protocol):
    """A node with children of its own kind."""

    @property
    def children(self) -> Sequence[Self]:
        """The children, in order."""


NodeT = TypeVar("NodeT", bound=Nested)


class Branch(NamedTuple, Generic[NodeT]):
    """A node and the line prefixes that connect it to its parent."""

    node: NodeT
    lead: str
    """Prefix of the node's own line."""
    below: str
    """Prefix of further lines of the same node."""


def levels_in(width: int) -> int:
    """Return the number of tree levels whose prefixes and a name fit into half of a line."""
    return max(1, min(MAX_LEVELS, (width // 2 - _NAME_CELLS) // 3 - 1))


def walk(root: NodeT, signs: Signs, levels: int = MAX_LEVELS) -> Iterator[Branch[NodeT]]:
    """Yield every node with its line prefixes, parents first."""
    stack = [Branch(root, "", "")]
    while stack:
        branch = stack.pop()
        yield branch
        below = branch.below[-len(signs.through) * levels :]
        for at, child in enumerate(reversed(branch.node.children)):
            corner, through = (signs.last, "   ") if at == 0 else (signs.branch, signs.through)
            stack.append(Branch(child, below + corner, below + through))


MAX_STEPS = 2_000
_MIN_LABEL = 8


def tree_lines(
    root: Node, signs: Signs, width: int, failures: Mapping[str, Sequence[DocumentFailure]]
) -> list[Text]:
    """Draw the tree: sign and name, duration, tokens, and a bar of when each step ran.

    ``failures`` has the failures in the document by step id; a step's failures follow its line.
    """
    branches = list(islice(walk(root, signs, levels_in(width)), MAX_STEPS + 1))
    labels = [_label(branch, signs) for branch in branches[:MAX_STEPS]]
    tokens = _tokens([branch.node for branch in branches[:MAX_STEPS]], signs)
    times = [duration(branch.node.duration_ms) for branch in branches[:MAX_STEPS]]
    time_cells, token_cells = (max(map(len, column)) + 2 for column in (times, tokens))
    longest = max(label.cell_len for label in labels)
    bar_cells = _bar_cells(width, width - longest - time_cells - token_cells - 2)
    right = time_cells + token_cells + (bar_cells + 2 if bar_cells else 0)
    left = min(longest, max(_MIN_LABEL, width - right))
    lines = []
    for branch, label, took, cost in zip(branches, labels, times, tokens, strict=False):
        label.truncate(left, overflow="ellipsis", pad=True)
        line = Text.assemble(label, f"{took:>{time_cells}}", f"{cost:>{token_cells}}")
        if bar_cells:
            line.append_text(_bar(branch.node, root, bar_cells, signs))
        listed = failures.get(branch.node.step.id, ())
        lines += [line, *_errors(branch, listed, signs, width)]
    if len(branches) > MAX_STEPS:
        lines.append(Text(f"{signs.more} and more steps; --json has all of them", "yellow"))
    return lines


def _bar_cells(width: int, left_over: int) -> int:
    """Return the width of the bars: 0 on narrow terminals, 12 if names need the room, else 24."""
    if width < 76:
        return 0
    return 24 if width >= 96 and left_over >= 24 else 12


def _label(branch: Branch[Node], signs: Signs) -> Text:
    node = branch.node
    style = TYPE_STYLES.get(node.type, "")
    label = Text.assemble(
        (branch.lead, "dim"),
        (signs.types.get(node.type, signs.types["other"]) + " ", style),
        (printable(str(node.step.name)) or "(no name)", style),
    )
    if model := node.step.model:
        label.append(f"  {printable(str(model))}", "dim")
    if how := outcome_text(str(node.step.metadata.get("outcome", "")), signs):
        label = Text.assemble(label, "  ", how)
    return label


def _tokens(nodes: list[Node], signs: Signs) -> list[str]:
    """Return the tokens of each node, arrows aligned; empty for a node without tokens."""
    used = [
        (f"{whole(info.get('input_tokens')):,}", f"{whole(info.get('output_tokens')):,}")
        for node in nodes
        for info in [node.step.tokens]
    ]
    before, after = (max(len(pair[way]) for pair in used) for way in (0, 1))
    return [
        "" if pair == ("0", "0") else f"{pair[0]:>{before}} {signs.arrow} {pair[1]:<{after}}"
        for pair in used
    ]


def _bar(node: Node, root: Node, cells: int, signs: Signs) -> Text:
    """Draw a bar of when the node ran, relative to the root's duration."""
    whole = max(1, root.duration_ms)
    begin = min(max(0, (node.start_ms - root.start_ms) * cells // whole), cells - 1)
    length = min(max(1, round(node.duration_ms * cells / whole)), cells - begin)
    style = "red" if node.step.error else TYPE_STYLES.get(node.type, "")
    return Text.assemble("  " + " " * begin, (signs.bar * length, style))


def _errors(
    branch: Branch[Node], listed: Sequence[DocumentFailure], signs: Signs, width: int
) -> list[Text]:
    lead = branch.below + (signs.through[:2] if branch.node.children else "  ")
    return [
        cut(Text.assemble((lead, "dim"), (f"{signs.error} {printable(text)}", "red")), width)
        for text in failure_texts(branch.node.step, listed)
    ]
