"""Matches names with globs such as ``delete_*``, case-sensitively."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, Field

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_NAME = 256
"""Maximum characters of a name that are compared."""
_MOST_CACHED = 1_000
"""Maximum names whose results are cached; runs have few names."""
Glob = Annotated[str, Field(min_length=1, max_length=256)]


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Globs = Annotated[list[Glob], Field(min_length=1, max_length=100), BeforeValidator(_listed)]
"""One glob, or a list of them."""


class Names:
    """The set of names that match at least one glob."""

    def __init__(self, globs: Sequence[str]) -> None:
        """Compile the globs."""
        self._pattern = re.compile("|".join(map(fnmatch.translate, globs)))
        self._known: dict[str, bool] = {}

    def __contains__(self, name: str) -> bool:
        """Return whether the name matches a glob."""
        known = self._known.get(name)
        if known is None:
            known = self._pattern.match(name[:MAX_NAME]) is not None
            if len(self._known) < _MOST_CACHED:
                self._known[name] = known
        return known
