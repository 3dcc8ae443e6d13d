"""A mutant: one line of the product changed into a bug that a developer could write."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import tree_sitter_javascript
from tree_sitter import Language, Parser

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).parents[2]
SOURCES = Path("services/spanloom")
SUFFIXES = frozenset({".py", ".js", ".sql"})
NOT_OURS = frozenset({"vendor", "wire"})
"""Folders of generated or third-party code."""
JAVASCRIPT = Language(tree_sitter_javascript.language())

Lines = dict[str, list[tuple[Path, int]]]
"""The files that contain each line, with its row in each; keyed by the line, unindented."""


class Mutant(NamedTuple):
    """A changed line, and the tests that fail because of it."""

    name: str
    room: str
    """``core``, ``extractor``, ``storage``, ``collector``, ``api`` or ``page``."""
    was: str
    """The whole line without its indentation; no other line of the product is equal."""
    becomes: str
    why: str
    """The bug, in a phrase."""
    killed_by: Sequence[str]
    """Test files or node ids: the cheapest tests that fail or, for a survivor, that were tried."""


class Place(NamedTuple):
    """The position of a mutant's line."""

    path: Path
    """Relative to the root of the checkout."""
    row: int
    """Index of the line, from 0."""


class NotApplicableError(Exception):
    """A mutant cannot be applied to this code."""


def lines_of(root: Path = ROOT) -> Lines:
    """Return every line of the product with its positions."""
    found: Lines = {}
    for path in _sources(root):
        for index, line in enumerate((root / path).read_text("utf-8").split("\n")):
            found.setdefault(line.strip(), []).append((path, index))
    return found


def place_of(mutant: Mutant, lines: Mapping[str, Sequence[tuple[Path, int]]]) -> Place:
    """Return the position of a mutant's line; raises ``NotApplicableError`` unless it is unique."""
    places = lines.get(mutant.was.strip(), ())
    if len(places) != 1:
        there = ", ".join(f"{path}:{index + 1}" for path, index in places) or "nowhere"
        raise NotApplicableError(
            f"{mutant.name}: the line must be in the product once, and is {there}: {mutant.was}"
        )
    return Place(*places[0])


def mutated(mutant: Mutant, place: Place, root: Path = ROOT) -> str:
    """Return the text of the file with the line changed.

    Raises ``NotApplicableError`` if the new text does not parse, or equals the old one.
    """
    lines = (root / place.path).read_text("utf-8").split("\n")
    line = lines[place.row]
    indentation = line[: len(line) - len(line.lstrip())]
    lines[place.row] = indentation + mutant.becomes.strip()
    if lines[place.row] == line:
        raise NotApplicableError(f"{mutant.name}: changes nothing")
    text = "\n".join(lines)
    if not _parses(place.path, text):
        raise NotApplicableError(f"{mutant.name}: {place.path} does not parse with the change")
    return text


def _sources(root: Path) -> Iterator[Path]:
    for path in sorted((root / SOURCES).rglob("*")):
        if path.suffix in SUFFIXES and NOT_OURS.isdisjoint(path.parts):
            yield path.relative_to(root)


def _parses(path: Path, text: str) -> bool:
    if path.suffix == ".js":
        return not Parser(JAVASCRIPT).parse(text.encode()).root_node.has_error
    if path.suffix == ".py":
        try:
            ast.parse(text)
        except SyntaxError:
            return False
    return True
