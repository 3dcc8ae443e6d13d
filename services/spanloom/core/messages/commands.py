"""LangGraph's ``Command``: what a resumed run was answered, and to whom a tool hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from spanloom.core.messages.envelopes import find_messages

if TYPE_CHECKING:
    from spanloom.core.model.message import Json

_FIELDS = frozenset({"graph", "update", "resume", "goto", "lg_name"})
"""The last one is how JavaScript names the class."""


def is_command(value: Json) -> TypeGuard[dict[str, Json]]:
    """Return whether it is a command: ``{"graph": null, "update": {…}, "goto": "sales"}``."""
    if not isinstance(value, dict) or "goto" not in value or not value.keys() <= _FIELDS:
        return False
    return not _FIELDS.isdisjoint(value.keys() - {"goto"})


def read_resume(value: Json) -> Json:
    """Return a person's answer, with which a paused run goes on; ``None`` if there is none."""
    return value.get("resume") if is_command(value) else None


def read_handover(command: dict[str, Json]) -> Json:
    """Return who gets control, and with what: ``{"goto": "sales", "messages": […]}``.

    A command that hands over to nobody is only its update.
    """
    update = command.get("update")
    if isinstance(update, dict) and isinstance(update.get("messages"), list):
        found = find_messages(update["messages"], "tool")
        update = update if found is None else {**update, "messages": found.read()}
    goto = command.get("goto")
    if not goto:
        return update
    if update is None:
        return {"goto": goto}
    return {"goto": goto, **(update if isinstance(update, dict) else {"update": update})}
