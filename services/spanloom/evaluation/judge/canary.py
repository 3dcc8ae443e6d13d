"""Draws random values for a request: a nonce that marks data blocks, and the word of its canary.

The canary is a criterion whose right answer is known and independent of the run. A model that
follows a text of the run, such as a text that demands the best value or an answer to repeat, does
not return the word, which no text of the run can contain.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.judge.answer import InvalidAnswerError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.evaluation.judge.config import ModelConfig

MEMBER = "canary"
MISSING = "canary_missing"
"""The warning for an answer without the canary."""


class Marks(NamedTuple):
    """Random values of a request, which no text of a run can contain."""

    nonce: str
    word: str


HASHED = Marks("nonce", "word")
"""Fixed values, for prompts that are only hashed or measured."""


def draw_marks() -> Marks:
    """Return new random values."""
    return Marks(secrets.token_hex(8), secrets.token_hex(4))


class CanaryError(InvalidAnswerError):
    """The canary criterion was answered wrongly."""

    code = ErrorCode.CANARY_FAILED


def check_canary(
    members: Mapping[str, Any],  # JSON values
    marks: Marks,
    config: ModelConfig,
) -> tuple[str, ...]:
    """Check the answer to the canary criterion; return a warning if it is missing.

    Raises ``CanaryError`` if it is wrong.
    """
    if config.canary == "none":
        return ()
    if MEMBER not in members:
        if config.canary == "required":
            raise CanaryError(f"the object has no {MEMBER}")
        return (MISSING,)
    if str(members[MEMBER]).strip().casefold() != marks.word:
        raise CanaryError(f"{MEMBER} is wrong")
    return ()
