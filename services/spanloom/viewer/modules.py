"""Modules of the page: which import which."""

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
    """Return the modules that a module imports at once; ``import()`` loads later and is not one.

    Names are paths from the root of the static files: ``list/table.js``.
    """
    folder = posixpath.dirname(name)
    return [posixpath.normpath(posixpath.join(folder, path)) for path in _IMPORT.findall(text)]


def needed_by(entries: Sequence[str], files: Mapping[str, bytes]) -> Sequence[str]:
    """Return the entries and every module that they need, each once, the nearest first.

    Raises ``KeyError`` for a module that is not there.
    """
    needed = list(dict.fromkeys(entries))
    for name in needed:  # grows while it is walked
        found = imported_by(name, files[name].decode())
        needed.extend(path for path in dict.fromkeys(found) if path not in needed)
    return needed
