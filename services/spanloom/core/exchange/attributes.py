"""Attributes that a format has no place for, and those that mean something else in a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.formats.losses import Code
from spanloom.core.values.attributes import decimal

if TYPE_CHECKING:
    from spanloom.core.document import Document
    from spanloom.core.formats.losses import Losses

_OF_THE_SENDER = ("conversation_id", "user_id", "environment", "tags", "metadata")


def note_dropped(view: Document, losses: Losses) -> None:
    """Count every attribute of the run in ``extraction`` as dropped."""
    told = view.extraction
    for name in _OF_THE_SENDER:
        if told.get(name):
            losses.note(Code.METADATA_DROPPED, f"extraction.{name}")


def with_number(metadata: dict[str, str], name: str) -> dict[str, str]:
    """Return metadata in which a value that is no number has another name: ``source_cost``."""
    if name in metadata and decimal(metadata[name]) is None:
        metadata[f"source_{name}"] = metadata.pop(name)
    return metadata
