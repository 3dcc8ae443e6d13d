"""Marks of one request: the nonce around its data, and the word of its canary criterion.

The canary is a criterion whose right answer is known and has nothing to do with the run. A model
that was led to follow a text of the run, such as one that demands the best value or gives an answer
to repeat, does not give the word, which no text of the run can have.
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
"""The warning of a value whose answer left the canary out."""


class Marks(NamedTuple):
    """What is drawn for a request, so that no text can know it."""

    nonce: str
    word: str


HASHED = Marks("nonce", "word")
"""In place of marks, where a prompt is hashed or measured."""


def draw_marks() -> Marks:
    """Return new marks."""
    return Marks(secrets.token_hex(8), secrets.token_hex(4))


class CanaryError(InvalidAnswerError):
    """The canary criterion was answered wrongly."""

    code = ErrorCode.CANARY_FAILED


def check_canary(
    given: Mapping[str, Any],  # JSON values
    marks: Marks,
    config: ModelConfig,
) -> tuple[str, ...]:
    """Return the warnings of an answer for its canary; raises ``CanaryError`` for a wrong one."""
    if config.canary == "none":
        return ()
    if MEMBER not in given:
        if config.canary == "required":
            raise CanaryError(f"the object has no {MEMBER}")
        return (MISSING,)
    if str(given[MEMBER]).strip().casefold() != marks.word:
        raise CanaryError(f"{MEMBER} is wrong")
    return ()
