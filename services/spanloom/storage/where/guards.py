"""What a step of some shape needs to be in the run at all, asked before the shape is looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.query.where.tree import And, Compare, Exists, Operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.query.where import tree
    from spanloom.storage.where.literals import Literals

_ARRAYS = {
    "name": "`Steps.Name`",
    "tool": "`Steps.Name`",
    "agent": "`Steps.Name`",
    "model": "`Steps.Model`",
}


def guards_of(step: tree.Condition, literals: Literals) -> Iterator[str]:
    """Yield conditions that hold for every run with a step that meets this one."""
    match step:
        case And(parts):
            for part in parts:
                yield from guards_of(part, literals)
        case Compare(field, Operator.EQUAL, value) if field.name in _ARRAYS:
            yield f"has({_ARRAYS[field.name]}, {literals.text(str(value))})"
        case Exists(field) if field.name == "error":
            yield "has(`Steps.HasError`, true)"
        case _:
            return
