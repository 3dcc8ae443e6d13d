"""Items of a Coze Loop evaluation set, which contain input, reference, and trajectory as text.

An item is ``{item_key, turns: [{field_datas: [{name, content: {content_type, text}}]}]}``. A second
file, next to the file of items, has the schema with which the set is created.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import orjson

from spanloom.core.document import AGENTS, ROOT
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.coze.example import KEPT, parts
from spanloom.core.exchange.coze.members import objects_in, text_of
from spanloom.core.exchange.coze.reading import read_trajectory
from spanloom.core.exchange.coze.shapes import TURNS, is_item
from spanloom.core.exchange.kept import Kept, count_lost
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code, NotHeldError
from spanloom.core.formats.readers import EachAlone, an_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.readers import Reading
    from spanloom.core.formats.stored import Stored

MAX_ITEM_BYTES: Final = 204_800
"""Coze Loop's default for the maximum size of an item; it rejects larger items."""
MAX_KEY_CHARS: Final = 255
_KEY, _FIELDS, _TRAJECTORY = "item_key", "field_datas", "trajectory"
_INPUT, _REFERENCE = "input", "reference_output"
_OF_AN_ITEM = frozenset({_KEY, _REFERENCE})
"""Keys in a run's metadata that an item can hold."""
_KEPT = Kept(("metadata",))


def write_item(stored: Stored, losses: Losses) -> bytes:
    """Return a run as an item; raises ``NotHeldError`` if it is larger than ``MAX_ITEM_BYTES``."""
    view = stored.view
    root, agents = parts(view)
    metadata = view.extraction.metadata
    fields = {
        _INPUT: view.root.input,
        _REFERENCE: metadata.get(_REFERENCE, ""),
        _TRAJECTORY: dump({"id": view.id, ROOT: root, AGENTS: agents}).decode(),
    }
    data = [
        {"name": name, "content": {"content_type": "text", "text": text}}
        for name, text in fields.items()
    ]
    item = dump({_KEY: metadata.get(_KEY) or view.id, TURNS: [{_FIELDS: data}]})
    if len(item) > MAX_ITEM_BYTES:
        raise NotHeldError(Code.TOO_LARGE)
    count_lost(view, KEPT if metadata.keys() - _OF_AN_ITEM else _KEPT, losses)
    return item


def schema_file(file: str) -> Mapping[str, bytes]:
    """Return name and content of the schema file for a file of items.

    For ``runs.jsonl`` it is ``runs.schema.json``, with the name and the fields of the set.
    """
    stem = PurePath(file).name.split(".jsonl")[0]
    schema = {"name": stem, "evaluation_set_schema": {"field_schemas": _field_schemas()}}
    content = orjson.dumps(schema, option=orjson.OPT_INDENT_2) + b"\n"
    return {f"{stem}.schema.json": content}


def _field_schemas() -> list[Json]:
    texts: Json = {"content_type": "text", "default_display_format": "plain_text"}
    return [
        {"name": _INPUT, **texts, "schema_key": "string", "is_required": False},
        {"name": _REFERENCE, **texts, "schema_key": "string", "is_required": False},
        {
            "name": _TRAJECTORY,
            "content_type": "text",
            "default_display_format": "json",
            "schema_key": "trajectory",
            "is_required": True,
        },
    ]


def read_item(value: object, reading: Reading) -> Iterator[Json]:
    """Yield each turn as a document; raises ``InvalidRequestError`` with the path of the fault."""
    item = an_object(value, "the item")
    key = text_of(item.get(_KEY), _KEY)
    if len(key) > MAX_KEY_CHARS:
        raise InvalidRequestError(f"{_KEY}: it is longer than {MAX_KEY_CHARS} characters")
    turns = objects_in(item, TURNS, "")
    if not turns:
        raise InvalidRequestError(f"{TURNS}: there is none")
    for at, turn in enumerate(turns):
        yield _read_turn(turn, f"{TURNS}.{at}", key, reading)


def _read_turn(turn: Json, where: str, key: str, reading: Reading) -> Json:
    texts: dict[str, tuple[str, str]] = {}
    for at, one in enumerate(objects_in(turn, _FIELDS, where)):
        place = f"{where}.{_FIELDS}.{at}"
        name = text_of(one.get("name") or one.get("key"), f"{place}.name")
        content = an_object(one.get("content"), f"{place}.content")
        texts[name] = f"{place}.content.text", text_of(content.get("text"), f"{place}.content.text")
    place, text = texts.get(_TRAJECTORY, ("", ""))
    if not text:
        raise InvalidRequestError(f"{where}.{_FIELDS}: the field {_TRAJECTORY} is missing")
    trajectory = _parsed(text, place)
    _, reference = texts.get(_REFERENCE, ("", ""))
    about = {_REFERENCE: reference} if reference else {}
    if key and key != trajectory.get("id"):
        about[_KEY] = key
    try:
        return read_trajectory(trajectory, reading, about)
    except InvalidRequestError as error:
        raise InvalidRequestError(f"{place}: {error}") from error


def _parsed(text: str, where: str) -> dict[str, Any]:  # any JSON value
    try:
        value = orjson.loads(text)
    except ValueError as error:
        raise InvalidRequestError(f"{where}: it is no JSON: {error}") from error
    return an_object(value, where)


DATASET = EachAlone(is_item, read_item)
