"""Reads id, name, user and tags of a run from a row that contains messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.exchange.ids import note_made, trace_id_of
from spanloom.core.exchange.messages.reading import AGENT, Source
from spanloom.core.exchange.messages.writing import NAMED
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.json_bytes import dump, sorted_keys
from spanloom.core.formats.readers import an_object

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.readers import Reading

TAGS = "tags"
_TEXTS = tuple(name for name in ("name", *NAMED) if name != TAGS)


def source_of(row: Json, reading: Reading, own_id: object = None) -> Source:
    """Return the data about the run in a row; ``own_id`` precedes the id in its ``metadata``.

    A row without an id gets a hash of the row as its id. Raises ``InvalidRequestError`` if
    ``metadata`` is not an object.
    """
    about = an_object(row.get("metadata") or {}, "metadata")
    source_id = own_id or about.get("trace_id")
    if isinstance(source_id, str) and source_id:
        trace_id = trace_id_of(reading.format, reading.project, source_id)
    else:
        source_id = ""
        text = dump(sorted_keys(row)).decode()
        trace_id = trace_id_of(reading.format, reading.project, text)
    note_made(trace_id, source_id, "id", reading.losses)
    note_unread(about, about.keys() - _odd(about, source_id), reading.losses, "metadata")
    name = about.get("name")
    return Source(
        trace_id=trace_id,
        name=name if isinstance(name, str) and name else AGENT,
        extras=extras_of(about, source_id_of(source_id, trace_id)),
    )


def _odd(about: Json, source_id: str) -> AbstractSet[str]:
    """Return the known keys in metadata whose values cannot be used."""
    odd = {name for name in _TEXTS if not isinstance(about.get(name), str)}
    tags = about.get(TAGS)
    if len(_texts(tags)) < (len(tags) if isinstance(tags, list) else 1):
        odd.add(TAGS)
    if about.get("trace_id") not in (source_id, source_id.replace("-", "")):
        odd.add("trace_id")
    return odd


def source_id_of(source_id: str, trace_id: str) -> Mapping[str, str]:
    """Return the id in the source as metadata, unless the trace id is another form of it."""
    is_same = not source_id or trace_id in source_id.replace("-", "").lower()
    return {} if is_same else {"source_id": source_id}


def extras_of(about: Json, more: Mapping[str, str]) -> Mapping[str, object]:
    """Convert metadata in a row to members of ``extraction``; ``more`` takes precedence."""
    extras: dict[str, object] = {
        name: about[name] for name in _TEXTS if name != "name" and isinstance(about.get(name), str)
    }
    if tags := _texts(about.get(TAGS)):
        extras[TAGS] = tags
    others = about.keys() - {"trace_id", "name", *NAMED}
    own = {name: _text(about[name]) for name in sorted(others)} | dict(more)
    return extras | ({"metadata": own} if own else {})


def _texts(value: object) -> Sequence[str]:
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, str) and item]


def _text(value: object) -> str:
    return value if isinstance(value, str) else dump(value).decode()
