"""The tree of steps as lines: names to the left, durations, tokens and bars in columns."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from spanloom.core.showing.values import duration, printable, whole
from spanloom.terminal.sayings import failure_texts
from spanloom.terminal.values import TYPE_STYLES, Signs, cut, went

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.showing.step_tree import Node
    from spanloom.terminal.sayings import Failure


MAX_LEVELS = 16
"""Levels that are drawn; below them the outermost make room."""
_NAME_CELLS = 12
"""What a name gets at least, with the sign before it."""


class Branch(NamedTuple):
    """A node and the lines that lead to it."""

    node: Node
    lead: str
    """What stands before the node's sign."""
    below: str
    """What stands before further lines of the same node."""


def levels_in(width: int) -> int:
    """Return how many levels to draw, so that in half of a line names have room beside them."""
    return max(1, min(MAX_LEVELS, (width // 2 - _NAME_CELLS) // 3 - 1))


def walk(root: Node, signs: Signs, levels: int = MAX_LEVELS) -> Iterator[Branch]:
    """Yield every node, parents first, with the lines that draw the tree."""
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
    root: Node, signs: Signs, width: int, failures: Mapping[str, Sequence[Failure]]
) -> list[Text]:
    """Draw the tree: sign and name, duration, tokens, and a bar where it ran in the whole.

    ``failures`` are those that the document lists, by step: they stand below their step's line.
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
        listed = failures.get(str(branch.node.step.get("id")), ())
        lines += [line, *_errors(branch, listed, signs, width)]
    if len(branches) > MAX_STEPS:
        lines.append(Text(f"{signs.more} and more steps; --json has all of them", "yellow"))
    return lines


def _bar_cells(width: int, left_over: int) -> int:
    """Return how long the bars may be: half as long where names and models need the room."""
    if width < 76:
        return 0
    return 24 if width >= 96 and left_over >= 24 else 12


def _label(branch: Branch, signs: Signs) -> Text:
    node = branch.node
    style = TYPE_STYLES.get(node.type, "")
    label = Text.assemble(
        (branch.lead, "dim"),
        (signs.types.get(node.type, signs.types["other"]) + " ", style),
        (printable(str(node.step.get("name", ""))) or "(no name)", style),
    )
    metadata = node.step.get("metadata") or {}
    if model := metadata.get("model"):
        label.append(f"  {printable(str(model))}", "dim")
    if how := went(str(metadata.get("outcome", "")), signs):
        label = Text.assemble(label, "  ", how)
    return label


def _tokens(nodes: list[Node], signs: Signs) -> list[str]:
    """Write what each node used, the arrows below each other; nothing where nothing was used."""
    used = [
        (f"{whole(info.get('input_tokens')):,}", f"{whole(info.get('output_tokens')):,}")
        for node in nodes
        for info in [node.step.get("model_info") or node.step.get("metrics_info") or {}]
    ]
    before, after = (max(len(pair[way]) for pair in used) for way in (0, 1))
    return [
        "" if pair == ("0", "0") else f"{pair[0]:>{before}} {signs.arrow} {pair[1]:<{after}}"
        for pair in used
    ]


def _bar(node: Node, root: Node, cells: int, signs: Signs) -> Text:
    """Draw when it ran within the run of the root."""
    whole = max(1, root.duration_ms)
    begin = min(max(0, (node.start_ms - root.start_ms) * cells // whole), cells - 1)
    length = min(max(1, round(node.duration_ms * cells / whole)), cells - begin)
    style = "red" if _failed(node) else TYPE_STYLES.get(node.type, "")
    return Text.assemble("  " + " " * begin, (signs.bar * length, style))


def _errors(branch: Branch, listed: Sequence[Failure], signs: Signs, width: int) -> list[Text]:
    lead = branch.below + (signs.through[:2] if branch.node.children else "  ")
    return [
        cut(Text.assemble((lead, "dim"), (f"{signs.error} {printable(text)}", "red")), width)
        for text in failure_texts(branch.node.step, listed)
    ]


def _failed(node: Node) -> bool:
    return bool((node.step.get("basic_info") or {}).get("error"))
