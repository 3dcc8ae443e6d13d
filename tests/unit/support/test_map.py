"""The map of the shared test code lists every module once, with its docstring."""

from __future__ import annotations

import ast
import re
from pathlib import Path

SUPPORT = Path(__file__).parents[2] / "support"
ROW = re.compile(r"^\| \[`(\w+)`\]\(\1\.py\) \| (.+) \|$", re.MULTILINE)


def test_the_map_has_every_module_once_as_its_docstring_says() -> None:
    rows = ROW.findall((SUPPORT / "README.md").read_text("utf-8"))
    assert sorted(rows) == sorted((path.stem, _first_line(path)) for path in SUPPORT.glob("*.py"))


def _first_line(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return docstring.partition("\n")[0].replace("``", "`")
