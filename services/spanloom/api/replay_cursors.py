"""Cursors of the list of replays: the id behind which it goes on, tied to its question."""

from __future__ import annotations

import re

from spanloom.api.query.cursors import decode_position, demand, encode_cursor

_REPLAY_ID = re.compile(r"[0-9a-f]{16}")


def encode_replay_cursor(replay_id: str, question: str = "") -> str:
    """Return the id as a cursor of a question."""
    return encode_cursor([replay_id], question)


def decode_replay_cursor(text: str, question: str = "") -> str:
    """Return the id; raise ``InvalidQueryError`` for what is none, or of another question."""
    return decode_position(text, question, _replay_id)


def _replay_id(replay_id: str) -> str:
    demand(_REPLAY_ID.fullmatch(replay_id) is not None)
    return replay_id
