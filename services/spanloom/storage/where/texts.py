"""Conditions on what was said: the words of inputs, outputs and failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidQueryError
from spanloom.core.ports.texts import Part
from spanloom.core.query.text_query import parse_text_query
from spanloom.storage.texts.conditions import having_text
from spanloom.storage.where.shapes import any_step

if TYPE_CHECKING:
    from spanloom.storage.where.beside import Beside
    from spanloom.storage.where.literals import Literals


def words_of_run(words: str, part: str, beside: Beside, literals: Literals) -> str:
    """Return the condition that a run has all these words in one text; any part if it is empty."""
    return any_step(words_of_step(words, part, beside, literals))


def words_of_step(words: str, part: str, beside: Beside, literals: Literals) -> str:
    """Return the condition that a step brought a text with all these words.

    The text counts while the run's row has its hash at that step: others are of older versions.
    """
    if not words:
        raise InvalidQueryError(f'{part} is asked for words: {part}: "rate limit"', "where")
    wanted = having_text(beside.lane, parse_text_query(words), literals.next_name())
    literals.values.update({**wanted.values, **beside.reach.values})
    parts = literals.texts([part] if part else [str(one) for one in Part])
    rows = f"{beside.reach.text} AND Part IN {parts} AND {wanted.text}"
    return (
        "((Project, StartTimeUnixNano, TraceId, StepId, StepText) IN ("  # noqa: S608  # no literal
        f"SELECT Project, TrajectoryStart, TraceId, StepId, Hash FROM step_texts WHERE {rows}))"
    )
