"""OTLP's requirements for a server, with our answers, which are docstrings of conformance tests.

The tests are not run: their marks and docstrings are read from the source.
"""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

SUITE = Path(__file__).parents[1] / "tests" / "conformance"


class Requirement(NamedTuple):
    """One requirement of the list."""

    number: int
    level: str
    text: str


class Proof(NamedTuple):
    """A test and the answer in its docstring."""

    file: str
    test: str
    answer: str


def requirements() -> Sequence[Requirement]:
    """Return all requirements in the order of the list."""
    listed = tomllib.loads((SUITE / "requirements.toml").read_text("utf-8"))
    return [Requirement(**item) for item in listed["requirement"]]


def proofs() -> Mapping[int, Sequence[Proof]]:
    """Return the tests that prove each requirement, keyed by its number."""
    tests = defaultdict(list)
    for file in sorted(SUITE.glob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                answer = " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
                for number in _marked(node):
                    tests[number].append(Proof(file.name, node.name, answer))
    return tests


def rows() -> Iterable[tuple[str, ...]]:
    """Yield a row per requirement: number, level, text, our answers and the tests."""
    proven = proofs()
    for number, level, text in requirements():
        answer = " ".join(proof.answer for proof in proven[number])
        tests = ", ".join(
            f"[{proof.test}](../tests/conformance/{proof.file})" for proof in proven[number]
        )
        yield str(number), level, text.replace("|", "/"), answer.replace("|", "/"), tests


def _marked(test: ast.FunctionDef) -> Iterator[int]:
    """Yield the numbers of requirements in the decorators ``@pytest.mark.otlp(…)`` of a test."""
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.otlp":
            yield from (ast.literal_eval(argument) for argument in decorator.args)
