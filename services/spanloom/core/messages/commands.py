"""Read LangGraph's ``Command``: the answer of a resumed run, and a tool's handover."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from spanloom.core.messages.envelopes import find_messages

if TYPE_CHECKING:
    from spanloom.core.model.message import Json

_FIELDS = frozenset({"graph", "update", "resume", "goto", "lg_name"})
"""Fields of a command; ``lg_name`` holds the class name in JavaScript."""


def is_command(value: Json) -> TypeGuard[dict[str, Json]]:
    """Return whether the value is a command: ``{"update": {…}, "goto": "sales"}``."""
    if not isinstance(value, dict) or "goto" not in value or not value.keys() <= _FIELDS:
        return False
    return not _FIELDS.isdisjoint(value.keys() - {"goto"})


def read_resume(value: Json) -> Json:
    """Return the person's answer that resumes a paused run; ``None`` if there is none."""
    return value.get("resume") if is_command(value) else None


def read_handover(command: dict[str, Json]) -> Json:
    """Return the target and the update of a handover: ``{"goto": "sales", "messages": […]}``.

    For a command without a target, return only its update.
    """
    update = command.get("update")
    if isinstance(update, dict) and isinstance(update.get("messages"), list):
        messages = find_messages(update["messages"], "tool")
        update = update if messages is None else {**update, "messages": messages.read()}
    goto = command.get("goto")
    if not goto:
        return update
    if update is None:
        return {"goto": goto}
    return {"goto": goto, **(update if isinstance(update, dict) else {"update": update})}
