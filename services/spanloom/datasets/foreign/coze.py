"""Converts items of Coze Loop's evaluation sets to items; a turn has named fields.

``input`` is the input of the agent, ``reference_output`` the expected answer, ``trajectory`` the
expected run. Other fields are metadata.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.coze.members import objects_in
from spanloom.core.exchange.coze.shapes import TURNS, is_item
from spanloom.core.formats.readers import a_text, an_object
from spanloom.datasets.foreign.row import Draft, is_present, key_of, others, shortened

if TYPE_CHECKING:
    from spanloom.core.formats.json_bytes import Json
    from spanloom.datasets.foreign.row import ForeignItem, Items

_KEY, _FIELDS = "item_key", "field_datas"
_INPUT, _REFERENCE, _TRAJECTORY = "input", "reference_output", "trajectory"
fits = is_item


def read(value: Any) -> Items:  # any JSON value
    """Yield an item for each turn in a row; the item of a single turn has the key of the row."""
    row = an_object(value, "the item")
    turns = objects_in(row, TURNS, "")
    if not turns:
        raise InvalidRequestError(f"{TURNS}: there is none")
    key, metadata = key_of(row, _KEY), others(row, {_KEY, TURNS})
    for at, turn in enumerate(turns):
        own = key if len(turns) == 1 else shortened(f"{key}/{at + 1}")
        yield _read_turn(turn, f"{TURNS}.{at}", Draft(own, metadata=dict(metadata)))


def _read_turn(turn: Json, where: str, draft: Draft) -> ForeignItem:
    for at, one in enumerate(objects_in(turn, _FIELDS, where)):
        place = f"{where}.{_FIELDS}.{at}"
        name = a_text(one.get("name") or one.get("key"), f"{place}.name")
        content = an_object(one.get("content") or {}, f"{place}.content")
        text = content.get("text")
        if isinstance(text, str):
            _put(draft, name, text, f"{place}.content.text")
        elif is_present(content):
            draft.metadata[name] = content
    return draft.item()


def _put(draft: Draft, name: str, text: str, where: str) -> None:
    if not text:
        return
    if name == _INPUT:
        draft.input = text
    elif name == _REFERENCE:
        draft.expected["response"] = text
    elif name == _TRAJECTORY:
        draft.expected[_TRAJECTORY] = _parsed(text, where)
    else:
        draft.metadata[name] = text


def _parsed(text: str, where: str) -> Json:
    try:
        value = orjson.loads(text)
    except ValueError as error:
        raise InvalidRequestError(f"{where}: it is no JSON: {error}") from error
    return an_object(value, where)
