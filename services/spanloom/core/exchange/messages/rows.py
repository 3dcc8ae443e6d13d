"""What rows with messages say of their run besides: its id, its name, user and tags."""

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
    """Return what a row says of its run; ``own_id`` precedes the id in its ``metadata``.

    A row without an id has a hash of itself. Raises ``InvalidRequestError`` if ``metadata`` is no
    object.
    """
    about = an_object(row.get("metadata") or {}, "metadata")
    given = own_id or about.get("trace_id")
    if isinstance(given, str) and given:
        trace_id = trace_id_of(reading.format, reading.project, given)
    else:
        given = ""
        text = dump(sorted_keys(row)).decode()
        trace_id = trace_id_of(reading.format, reading.project, text)
    note_made(trace_id, given, "id", reading.losses)
    note_unread(about, about.keys() - _odd(about, given), reading.losses, "metadata")
    name = about.get("name")
    return Source(
        trace_id=trace_id,
        name=name if isinstance(name, str) and name else AGENT,
        extras=extras_of(about, source_id_of(given, trace_id)),
    )


def _odd(about: Json, given: str) -> AbstractSet[str]:
    """Return the names in metadata that have a meaning here, and a value without one."""
    odd = {name for name in _TEXTS if not isinstance(about.get(name), str)}
    tags = about.get(TAGS)
    if len(_texts(tags)) < (len(tags) if isinstance(tags, list) else 1):
        odd.add(TAGS)
    if about.get("trace_id") not in (given, given.replace("-", "")):
        odd.add("trace_id")
    return odd


def source_id_of(given: str, trace_id: str) -> Mapping[str, str]:
    """Return the source's id as metadata, unless the trace id is the same in another form."""
    is_same = not given or trace_id in given.replace("-", "").lower()
    return {} if is_same else {"source_id": given}


def extras_of(about: Json, more: Mapping[str, str]) -> Mapping[str, object]:
    """Return metadata of a source as members of ``extraction``; ``more`` precedes it."""
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
