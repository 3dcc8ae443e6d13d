"""Conditions on what was said: the words of inputs, outputs and failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidQueryError

if TYPE_CHECKING:
    from spanloom.storage.where.literals import Literals


def words_of_run(words: str, part: str, literals: Literals) -> str:
    """Return the condition that a run has all these words in one text; any part if it is empty."""
    raise _not_yet(words, part, literals)


def words_of_step(words: str, part: str, literals: Literals) -> str:
    """Return the condition that a step brought a text with all these words."""
    raise _not_yet(words, part, literals)


def _not_yet(words: str, part: str, _literals: Literals) -> InvalidQueryError:
    asked = f"{part}: …" if part else '"…"'
    return InvalidQueryError(
        f"where: this store has no index of texts, so {asked} cannot look for {words!r};"
        " names, error_message and metadata can be matched by ~"
    )
