"""Renames attributes that have another meaning in a source than in Spanloom."""

from __future__ import annotations

from spanloom.core.values.attributes import decimal


def with_number(metadata: dict[str, str], name: str) -> dict[str, str]:
    """Return the metadata with ``name`` renamed to ``source_…`` if its value is not a number."""
    if name in metadata and decimal(metadata[name]) is None:
        metadata[f"source_{name}"] = metadata.pop(name)
    return metadata
