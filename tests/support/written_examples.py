"""The fenced examples of the documentation, and the notes on those that need one.

A hidden comment right above the fence is a note::

    <!-- example: limits file -->        what a block of TOML or JSON is, so that it can be read
    <!-- example not run: the reason --> why no test runs it
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from tests.support.recipes import all_recipes

from spanloom.terminal.reports import exports

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
_NOTE = re.compile(r"<!-- example(?P<is_not_run> not run)?: (?P<text>.+?) -->\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A fenced block."""

    page: str
    line: int
    language: str
    text: str
    what: str = ""
    """The kind of a block of data, if its language does not determine it."""
    why_not: str = ""
    """The reason why no test runs it."""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@cache
def all_examples() -> Sequence[Example]:
    """Return every fenced block, page by page in reading order."""
    return [example for page in PAGES for example in _examples(page)]


def is_recipe(example: Example) -> bool:
    """Return whether an example is exactly what ``spanloom instrument`` prints.

    Those are run by ``tests/system/test_recipes.py``, with the packages that they install.
    """
    return example.text.strip() in _printed()


@cache
def _printed() -> frozenset[str]:
    """Return the output of ``spanloom instrument`` for each recipe."""
    return frozenset(
        text.strip()
        for _, recipe in all_recipes()
        for text in (
            *("\n".join([recipe.install, *exports(recipe.variables)]), recipe.code),
            *(recipe.settings, recipe.key_settings),
        )
    )


def _examples(page: Path) -> Iterator[Example]:
    name, note = page.relative_to(ROOT).as_posix(), None
    for token in MarkdownIt().parse(page.read_text("utf-8")):
        if token.type == "fence" and token.map:
            noted = note["text"] if note else ""
            kind = "why_not" if note and note["is_not_run"] else "what"
            yield Example(name, token.map[0] + 1, token.info, token.content, **{kind: noted})
        note = _NOTE.search(token.content) if token.type == "html_block" else None
