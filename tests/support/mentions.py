"""Names in user-visible texts: messages, help texts, findings and documentation pages."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tests.support.written_examples import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CODE = ROOT / "services" / "spanloom"
FOLDERS = (".", "docs", "docs/adr", "proto", "tests/fixtures")
_COMMAND = re.compile(r"(?<!from )(?<!import )\bspanloom ((?:[a-z-]+|--)[^`|;,\n\"]*)")


class Mention(NamedTuple):
    """A name and its location."""

    where: str
    name: str


@cache
def texts() -> Sequence[Mention]:
    """Return every string literal in the code, docstrings included, and every page."""
    pages = [page for folder in FOLDERS for page in sorted((ROOT / folder).glob("*.md"))]
    files = [*pages, *sorted(CODE.rglob("*.toml"))]
    named = [Mention(f.relative_to(ROOT).as_posix(), f.read_text("utf-8")) for f in files]
    return [*named, *literals()]


def mentions(pattern: str) -> Iterator[Mention]:
    """Yield the matches of the pattern, or of its first group if it has one."""
    for where, text in texts():
        for found in re.findall(pattern, text, re.MULTILINE):
            yield Mention(where, found)


def commands() -> Iterator[Mention]:
    """Yield the text after ``spanloom``, up to the end of the line or quotation."""
    for where, text in texts():
        for found in _COMMAND.findall(text):
            yield Mention(where, found)


def literals() -> Iterator[Mention]:
    """Yield every string literal in the code, docstrings included."""
    for file in sorted(CODE.rglob("*.py")):
        if not file.name.endswith("_pb2.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield Mention(f"{file.relative_to(CODE)}:{node.lineno}", node.value)
