"""Parses ``where``, ``q`` and ``order`` of a request, and fingerprints queries for cursors."""

from __future__ import annotations

import time
from hashlib import blake2b
from typing import TYPE_CHECKING

import orjson
from fastapi import HTTPException

from spanloom.core.query.question import Question, parse_order
from spanloom.core.query.text_query import parse_text_query
from spanloom.core.query.where.parser import parse_steps_where, parse_where
from spanloom.core.query.where.problems import InvalidWhereError, both
from spanloom.core.query.where.tree import And, Words, asks_for_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from spanloom.api.services import Services
    from spanloom.core.query.where.tree import Condition

NOT_OF_THE_QUESTION = {"cursor", "fields", "limit"}
"""Parameters that may differ between the pages of one list."""
NO_SEARCH = (
    "the service runs with --no-search. Start it without, and what is stored by then is indexed "
    "too."
)
_NO_WORDS = f'Words as in `output: "rate limit"` are not looked for here: {NO_SEARCH}'


def read_question(where: str | None, q: str | None, order: str) -> Question:
    """Return the parsed query; raises ``InvalidTextsError`` with the problems of all texts."""
    (asked, words), by = both(
        lambda: both(lambda: read_where(where), lambda: read_words(q)), lambda: parse_order(order)
    )
    return Question(And((asked, words)) if asked and words else asked or words, by)


def read_words(text: str | None) -> Condition | None:
    """Return the condition that a run has a text with these words (``q``); ``None`` for none."""
    if text is None:
        return None
    parse_text_query(text)  # only validated here; the search parses them again
    return Words(text)


def read_where(text: str | None, parameter: str = "where") -> Condition | None:
    """Return the condition on runs, ``None`` for no text; problems name the parameter."""
    return _read(parse_where, text, parameter)


def read_steps_where(text: str | None, parameter: str = "where") -> Condition | None:
    """Return the condition on steps, ``None`` for no text."""
    return _read(parse_steps_where, text, parameter)


def refuse_words(using: Services, *asked: Condition | None) -> None:
    """Raise 501 if a condition searches for words and there is no full-text index."""
    if not using.has_search and any(map(asks_for_words, asked)):
        raise HTTPException(501, _NO_WORDS)


def fingerprint(query: BaseModel, of: str = "") -> str:
    """Return a hash of a query, by which a cursor is bound to it.

    ``of`` names the list, where its positions have the same shape as those of the list of runs.
    """
    asked = query.model_dump(mode="json", exclude=NOT_OF_THE_QUESTION, exclude_defaults=True)
    told = [asked, of] if of else asked
    return blake2b(orjson.dumps(told, option=orjson.OPT_SORT_KEYS), digest_size=6).hexdigest()


def _read(
    parse: Callable[[str, int], Condition], text: str | None, parameter: str
) -> Condition | None:
    if text is None or not text.strip():
        return None
    try:
        return parse(text, time.time_ns())
    except InvalidWhereError as error:
        error.parameter = parameter
        raise
