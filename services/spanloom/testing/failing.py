"""Makes the message of a failed judgement: the reason, the steps that explain it, and the tree."""

from __future__ import annotations

from difflib import ndiff
from typing import TYPE_CHECKING

from spanloom.core.document import Document
from spanloom.core.model.step import NO_CODE
from spanloom.core.showing.steps import build_tree
from spanloom.core.showing.values import printable, shortened
from spanloom.evaluation.files.excerpts import excerpts_of
from spanloom.evaluation.files.measures import passes
from spanloom.testing.goldens import project

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.showing.steps import Node
    from spanloom.evaluation.contract.result import Result

MAX_LINES = 200
"""Maximum lines of a tree."""
MAX_LEVELS = 24
"""Maximum levels of indentation."""
_LONGEST = 120
_MARK = "> "


def failed_results(results: Iterable[Result], warn_scores: Collection[str]) -> list[Result]:
    """Return the results that fail a test: those that did not pass, or could not be judged.

    A score that does not apply fails too, because the test requested it. Scores that only warn do
    not fail.
    """
    return [one for one in results if one.name not in warn_scores and _has_failed(one)]


def _has_failed(result: Result) -> bool:
    if result.status != "ok":
        return True
    return passes({"passed": result.passed, "value": result.value}) is False


def failure_text(failed: Sequence[Result], document: Json, golden: Json | None = None) -> str:
    """Return the text of an ``AssertionError``; with a golden, both trees are shown aligned."""
    steps = Document(document).by_id()
    lines = []
    for result in failed:
        lines.append(_reason(result))
        if golden is None:
            lines += [f"  {printable(one)}" for one in excerpts_of(result.evidence, steps)]
    lines.append("")
    if golden is not None:
        lines.append("- golden, + this run:")
        lines += _cut(list(_aligned(golden, document)))
    else:
        marked = {one.step_id for result in failed for one in result.evidence}
        lines += _cut(list(tree_lines(document, marked)))
    return "\n".join(lines)


def tree_lines(document: Json, marked: Collection[str] = ()) -> Iterator[str]:
    """Yield a line for each step, indented: type, name, a tool's arguments, an error.

    The steps whose ids are ``marked`` begin with ``>``.
    """
    stack: list[tuple[Node, int]] = [(build_tree(document), 0)]
    leads = (_MARK, " " * len(_MARK)) if marked else ("", "")
    while stack:
        node, level = stack.pop()
        lead = leads[node.step.id not in marked]
        yield f"{lead}{'  ' * min(level, MAX_LEVELS)}{_step(node)}"
        stack += [(child, level + 1) for child in reversed(node.children)]


def names_of(documents: Sequence[Json], most: int = 5) -> str:
    """Return the names of the runs, at most ``most``."""
    names = [repr(Document(one).root.name) for one in documents[:most]]
    return ", ".join([*names, "…"] if len(documents) > most else names)


def _reason(result: Result) -> str:
    status = {"na": "does not apply", "skipped": "skipped"}.get(result.status, "failed")
    why = f"{result.error_code}: {result.rationale}" if result.error_code else result.rationale
    if not why and result.value is not None:
        why = f"the value is {result.value}"
    return printable(f"{result.name}: {status}: {why}")


def _step(node: Node) -> str:
    step = node.step
    arguments = f" {shortened(step.input, _LONGEST)}" if node.type == "tool" and step.input else ""
    line = f"{node.type} {step.name}{arguments}"
    if step.error is not None:
        code = step.error.get("code")
        code_text = "" if code in (None, NO_CODE) else f"{code}: "
        line += f"  ! {code_text}{shortened(step.error_message or 'failed', _LONGEST)}"
    return printable(line).rstrip()


def _aligned(golden: Json, document: Json) -> Iterator[str]:
    before, after = list(tree_lines(golden)), list(tree_lines(project(document)))
    return (line for line in ndiff(before, after) if not line.startswith("?"))


def _cut(lines: list[str]) -> list[str]:
    if len(lines) <= MAX_LINES:
        return lines
    return [*lines[:MAX_LINES], f"and {len(lines) - MAX_LINES:,} more lines"]
