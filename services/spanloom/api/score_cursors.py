"""Cursors of scores: opaque text around a position in their list, tied to its question."""

from __future__ import annotations

from spanloom.api.cursors import decode_position, demand, encode_cursor
from spanloom.core.ports.annotations import ScorePlace


def encode_score_cursor(place: ScorePlace, question: str = "") -> str:
    """Return the position as text that needs no escaping in a URL, with its question."""
    return encode_cursor(place, question)


def decode_score_cursor(text: str, question: str = "") -> ScorePlace:
    """Return the position; raise ``InvalidQueryError`` for what is none, or of another question."""
    return decode_position(text, question, _place)


def _place(project: str, trace_id: str, score_id: str) -> ScorePlace:
    place = ScorePlace(project, trace_id, score_id)
    demand(all(isinstance(part, str) for part in place))
    return place
