"""The members of a document's ``extraction`` are read by its typed view only."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import spanloom

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(spanloom.__file__).parent
RAW = {
    "client/transfer/documents.py": "tells documents from other values",
    "evaluation/subject/run.py": "tells documents from other values",
    "core/exchange/coze/shapes.py": "tells documents from Coze Loop's forms",
    "core/exchange/renewed.py": "copies a document with other ids",
    "core/exchange/kept.py": "counts every member that a format loses",
    "core/exchange/inspect/writing.py": "copies members, the empty ones too",
    "core/formats/imported.py": "carries every member in a span",
    "core/matching/of_document.py": "hands every member to the run's fields",
    "evaluation/contract/view.py": "hashes every member",
    "mcp/steps.py": "copies members, the empty ones too",
}
"""Modules that use the JSON of an ``extraction`` as a whole; none reads a member by its name."""


def test_only_the_view_reads_the_members_of_an_extraction() -> None:
    sources = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    trees = {
        path.relative_to(PACKAGE).as_posix(): ast.parse(text)
        for path, text in sources.items()
        if "extraction" in text.lower()
    }
    assert {name: lines for name, tree in trees.items() if (lines := list(_reads(tree)))} == {}
    assert {name for name, tree in trees.items() if any(map(_is_raw, ast.walk(tree)))} == {*RAW}


@pytest.mark.parametrize(
    "code",
    [
        'document.extraction["status"]',
        'document.extraction.get("status")',
        'extraction.json["status"]',
        'view.extraction.json.get("cost", {})',
        '(document.extraction.json or {}).get("cost")',
        'document["extraction"]["status"]',
        'document.get("extraction").get("status")',
        '(document.get(EXTRACTION) or {})["status"]',
        'document[EXTRACTION]["status"]',
        '"status" in document["extraction"]',
    ],
)
def test_a_raw_read_is_found(code: str) -> None:
    assert list(_reads(ast.parse(code))) == [1]


@pytest.mark.parametrize(
    "code",
    [
        "document.extraction.status",
        'extraction.metadata.get("item_key")',
        'extraction.step_counts["model"]',
        "{name: extraction.json[name] for name in names}",
        'span.attributes["extraction"]',
        '"extraction" in document',
    ],
)
def test_the_view_is_no_raw_read(code: str) -> None:
    assert list(_reads(ast.parse(code))) == []


def _reads(tree: ast.AST) -> Iterator[int]:
    """Yield the line of each place that names a member of the JSON of an ``extraction``."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=base, slice=ast.Constant(value=str())):
                pass
            case ast.Call(
                func=ast.Attribute(value=base, attr="get"),
                args=[ast.Constant(value=str()), *_],
            ):
                pass
            case ast.Compare(
                left=ast.Constant(value=str()), ops=[ast.In() | ast.NotIn()], comparators=[base]
            ):
                pass
            case _:
                continue
        if _is_extraction(base):
            yield node.lineno


def _is_extraction(node: ast.AST) -> bool:
    """Return whether an expression is an ``extraction``, as an object, as JSON, or by default."""
    match node:
        case ast.Name(id="extraction") | ast.Attribute(attr="extraction"):
            return True
        case ast.Attribute(value=value, attr="json") | ast.BoolOp(values=[value, *_]):
            return _is_extraction(value)
        case ast.Subscript(slice=key):
            return _is_name(key)
        case ast.Call(func=ast.Attribute(attr="get"), args=[key, *_]):
            return _is_name(key)
        case _:
            return False


def _is_name(key: ast.AST) -> bool:
    match key:
        case ast.Constant(value="extraction") | ast.Name(id="EXTRACTION"):
            return True
        case _:
            return False


def _is_raw(node: ast.AST) -> bool:
    """Return whether a module takes the JSON of an ``extraction``, from the view or a document."""
    match node:
        case ast.Attribute(value=value, attr="json"):
            return _is_extraction(value)
        case ast.ImportFrom(module="spanloom.core.document", names=names):
            return any(one.name == "EXTRACTION" for one in names)
        case _:
            return False
