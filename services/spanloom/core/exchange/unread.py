"""Counts members in a file that a run cannot hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.formats.losses import Code

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from spanloom.core.formats.losses import Losses


def note_unread(value: object, known: AbstractSet[str], losses: Losses, where: str = "") -> None:
    """Count each member of an object that is not in ``known`` and not empty."""
    if not isinstance(value, dict) or value.keys() <= known:
        return
    for name in sorted(value.keys() - known, key=str):
        if _is_given(value[name]):
            losses.note(Code.METADATA_DROPPED, f"{where}.{name}".lstrip("."))


def _is_given(value: object) -> bool:
    return value is not None and value not in ("", [], {})
