"""Attributes that mean something else in a source."""

from __future__ import annotations

from spanloom.core.values.attributes import decimal


def with_number(metadata: dict[str, str], name: str) -> dict[str, str]:
    """Return metadata in which a value that is no number has another name: ``source_cost``."""
    if name in metadata and decimal(metadata[name]) is None:
        metadata[f"source_{name}"] = metadata.pop(name)
    return metadata
