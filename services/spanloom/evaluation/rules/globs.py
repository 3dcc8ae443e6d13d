"""Globs on names: ``delete_*``; case counts."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, Field

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_NAME = 256
"""Characters of a name that are compared."""
_MOST_KEPT = 1_000
"""Names whose answer is kept: runs have few."""
Glob = Annotated[str, Field(min_length=1, max_length=256)]


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Globs = Annotated[list[Glob], Field(min_length=1, max_length=100), BeforeValidator(_listed)]
"""One glob, or a list of them."""


class Names:
    """Names that at least one glob covers; each name is compared once."""

    def __init__(self, globs: Sequence[str]) -> None:
        """Compile the globs."""
        self._pattern = re.compile("|".join(map(fnmatch.translate, globs)))
        self._known: dict[str, bool] = {}

    def __contains__(self, name: str) -> bool:
        """Return whether a glob covers the name."""
        known = self._known.get(name)
        if known is None:
            known = self._pattern.match(name[:MAX_NAME]) is not None
            if len(self._known) < _MOST_KEPT:
                self._known[name] = known
        return known
