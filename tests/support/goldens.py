"""Golden files: the recorded output of the product, one fact per line.

``pytest tests/golden --rewrite`` rewrites all of them; the diff of the commit then shows what
changes for users.
"""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FILES = Path(__file__).parent.parent / "golden" / "files"
SHOWN = 40
"""Maximum lines of a diff that a failing test prints."""
REWRITE = "if that is meant: .venv/bin/pytest tests/golden --rewrite, and read `git diff`"


class Goldens(NamedTuple):
    """Compares texts with the files, or rewrites the files."""

    is_rewriting: bool

    def check(self, name: str, text: str) -> None:
        """Fail with a short diff unless the file has this text."""
        path = FILES / name
        if self.is_rewriting:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        elif (golden := self.read(name)) != text:
            pytest.fail("\n".join(report(name, golden, text)), pytrace=False)

    def read(self, name: str) -> str:
        """Return the text of a file; empty if there is none, or if it is to be rewritten."""
        path = FILES / name
        return path.read_bytes().decode() if path.exists() and not self.is_rewriting else ""

    def check_folder(self, name: str, known: Iterable[str]) -> None:
        """Fail if a folder has a file that no test writes."""
        stale = {path.name for path in (FILES / name).iterdir() if path.is_file()} - {*known}
        if self.is_rewriting:
            for one in stale:
                (FILES / name / one).unlink()
        else:
            assert not stale, f"no test writes {sorted(stale)}; {REWRITE}"


def report(name: str, golden: str, text: str) -> Sequence[str]:
    """Return the lines of a diff, at most a screenful."""
    old, new = golden.split("\n"), text.split("\n")
    lines = [*difflib.unified_diff(old, new, "golden", "now", n=2, lineterm="")][2:]
    more = len(lines) - SHOWN
    rest = [f"… {more} more lines of diff"] if more > 0 else []
    return [f"tests/golden/files/{name} has changed; {REWRITE}", *lines[:SHOWN], *rest]


def pretty(document: object, *, sort: bool = False) -> str:
    """Return JSON with one value per line; keys in the order of the response, unless sorted."""
    return json.dumps(document, indent=1, sort_keys=sort) + "\n"
