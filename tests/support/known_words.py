"""Words that a package of ``core`` compares with: keys and values that change what it reads."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import spanloom

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LONGEST = 40


@cache
def words_in(package: str) -> Sequence[str]:
    """Return the short string constants in the code of a package such as ``core/messages``.

    Docstrings are not among them. Words of a new rule are in the list without further work.
    """
    modules = sorted(Path(spanloom.__file__).parent.joinpath(package).rglob("*.py"))
    return sorted({word for path in modules for word in _constants(ast.parse(path.read_text()))})


def _constants(tree: ast.AST) -> Iterator[str]:
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in docs and _is_word(node.value):
            yield str(node.value)


def _is_word(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) < _LONGEST and value.isidentifier()
