"""Read the question to a person when a LangGraph node calls ``interrupt``."""

from __future__ import annotations

from spanloom.core.messages.wire import as_text
from spanloom.core.values.attributes import json_value
from spanloom.core.values.python_repr import objects_as_json

_VALUE = "Interrupt(value="
_NEXT_FIELDS = (", id=", ", resumable=", ", ns=", ", when=")
"""The fields that follow the value, in different releases."""


def read_question(message: str) -> str:
    """Return the argument of ``interrupt``, as text or JSON; for several calls a JSON list.

    Python writes a tuple, ``(Interrupt(value='ok?', id='9f'),)``; JavaScript a list,
    ``[{"id": "9f", "value": "ok?"}]``.
    """
    if message.startswith("(Interrupt("):
        listed = objects_as_json(f"[{message[1:-1].rstrip(',')}]")
    elif message.startswith("[") and '"value"' in message:
        listed = message
    else:
        return ""
    items = json_value(listed)
    if isinstance(items, list) and all(isinstance(i, dict) and "value" in i for i in items):
        values = [item["value"] for item in items if isinstance(item, dict)]
        return as_text(values[0] if len(values) == 1 else values)
    return _as_written(message)


def _as_written(message: str) -> str:
    """Return a value that JSON cannot express as its repr: ``<Request object at 0x…>``."""
    start = message.find(_VALUE) + len(_VALUE)
    ends = [end for field in _NEXT_FIELDS if (end := message.find(field, start)) >= 0]
    return message[start : min(ends)] if ends and start >= len(_VALUE) else ""
