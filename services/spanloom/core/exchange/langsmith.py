"""Examples in LangSmith datasets: inputs are the messages before the first answer.

``{"id", "inputs": {"messages"}, "outputs": {"messages"}, "metadata", "split"}``; the id is the
trace id as a UUID. The other messages are ``outputs``, which the SDK calls ``reference_outputs``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import complete
from spanloom.core.exchange.ids import as_uuid, trace_id_of
from spanloom.core.exchange.kept import OF_THE_SENDER
from spanloom.core.exchange.messages.reading import draft_of_messages, is_message_list
from spanloom.core.exchange.messages.rows import source_of
from spanloom.core.exchange.messages.writing import about_run, kept_by_messages, talk_of
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.readers import EachAlone, an_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.readers import Reading
    from spanloom.core.formats.stored import Stored

_MESSAGES, _SPLIT = "messages", "split"
_OUTPUTS = ("outputs", "reference_outputs")
_OF_OTHERS = frozenset({"expectations", "trace", "root_step"})
_OF_EXAMPLES = frozenset(
    {"id", "name", "inputs", *_OUTPUTS, "metadata", _SPLIT, "dataset_id", "source_run_id"}
    | {"created_at", "modified_at", "attachments"}
)
"""Members of an example; a value with other members needs a member that only LangSmith uses."""


_KEPT = kept_by_messages(OF_THE_SENDER, {"name"})


def write(stored: Stored, losses: Losses) -> bytes:
    """Return a run as an example; raises ``NotHeldError`` for a run without an agent."""
    messages = talk_of(stored, losses, _KEPT).messages
    roles = [message["role"] for message in messages]
    first = next((at for at, role in enumerate(roles) if role in ("assistant", "tool")), len(roles))
    about = about_run(stored.view)
    split = about.pop(_SPLIT, None)
    example = {
        "id": as_uuid(trace_id_of("langsmith", "", stored.view.id)),
        "inputs": {_MESSAGES: messages[:first]},
        "outputs": {_MESSAGES: messages[first:]},
        "metadata": about,
    }
    return dump(example | ({_SPLIT: split} if split else {}))


def fits(value: Any) -> bool:
    """Return whether a value is an example: it has inputs, and no members of other formats."""
    if not isinstance(value, dict) or not _OF_OTHERS.isdisjoint(value):
        return False
    inputs, *outputs = (value.get(name) for name in ("inputs", *_OUTPUTS))
    if not isinstance(inputs, dict) or not all(isinstance(o, dict | None) for o in outputs):
        return False
    has_messages = any(o and is_message_list(o.get(_MESSAGES)) for o in (inputs, *outputs))
    is_marked = has_messages or "reference_outputs" in value or "dataset_id" in value
    return is_marked or value.keys() <= _OF_EXAMPLES


def read_one(value: Any, reading: Reading) -> Iterable[Json]:
    """Convert an example to a canonical document, and yield it."""
    row = an_object(value, "the value")
    answered = next((name for name in _OUTPUTS if row.get(name)), _OUTPUTS[0])
    messages = [
        *_messages(row.get("inputs") or {}, "inputs", "user", reading.losses),
        *_messages(row.get(answered) or {}, answered, "assistant", reading.losses),
    ]
    note_unread(row, {"id", "inputs", answered, "metadata", _SPLIT}, reading.losses)
    if not messages:
        raise InvalidRequestError("inputs: it has no messages")
    about = an_object(row.get("metadata") or {}, "metadata")
    if split := row.get(_SPLIT):
        about = {**about, _SPLIT: split}
    source = source_of({**row, "metadata": about}, reading, row.get("id"))
    yield complete(draft_of_messages(messages, reading, source))


def _messages(value: object, where: str, role: str, losses: Losses) -> Sequence[object]:
    """Return the messages in inputs or outputs; other members become one message."""
    members = an_object(value, where)
    found = members.get(_MESSAGES)
    if isinstance(found, list):
        note_unread(members, {_MESSAGES}, losses, where)
        return found
    if not members:
        return []
    only = next(iter(members.values())) if len(members) == 1 else members
    return [{"role": role, "content": only if isinstance(only, str) else dump(only).decode()}]


READER = EachAlone(fits, read_one)
