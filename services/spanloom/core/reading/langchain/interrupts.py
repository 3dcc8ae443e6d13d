"""What LangGraph asks of a person when a node calls ``interrupt``."""

from __future__ import annotations

import re

from spanloom.core.reading.messages.wire import as_text
from spanloom.core.reading.python_repr import objects_as_json
from spanloom.core.reading.values import json_value

_VALUE = re.compile(r"Interrupt\(value=(.*?), (?:id|resumable|ns|when)=", re.DOTALL)


def read_question(message: str) -> str:
    """Return what was handed to ``interrupt``, as text or JSON; of several calls a JSON list.

    Python tells a tuple, ``(Interrupt(value='ok?', id='9f'),)``; JavaScript a list,
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
    found = _VALUE.search(message)  # a value that no JSON can say: ``<Request object at 0x…>``
    return found[1] if found else ""
