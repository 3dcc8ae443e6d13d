"""Finds the imports between the modules of the page."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_IMPORT = re.compile(
    r"""(?:^|[;\n}])\s*(?:import|export)\b      # a statement, not a call of import()
        (?:[\s{*\w$][^"';()]*?\bfrom)?\s*       # of names, or of nothing but the effect
        ["'](\.[^"']+)["']""",
    re.VERBOSE,
)


def imported_by(name: str, text: str) -> Sequence[str]:
    """Return the modules that a module imports statically, without those of ``import()``.

    Names are paths from the root of the static files: ``list/table.js``.
    """
    folder = posixpath.dirname(name)
    return [posixpath.normpath(posixpath.join(folder, path)) for path in _IMPORT.findall(text)]


def needed_by(entries: Sequence[str], files: Mapping[str, bytes]) -> Sequence[str]:
    """Return the entries and all modules that they import, each once, breadth first.

    Raises ``KeyError`` for a module that does not exist.
    """
    needed = list(dict.fromkeys(entries))
    for name in needed:  # grows during the loop
        found = imported_by(name, files[name].decode())
        needed.extend(path for path in dict.fromkeys(found) if path not in needed)
    return needed
