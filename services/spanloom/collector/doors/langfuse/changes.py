"""What one event of Langfuse's API changes: of which trace or observation it sets which fields."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

CREATED = "created"
"""A field set by every event that creates; an observation without it waits."""
METADATA = "metadata."
"""Begins the names of fields that hold one entry of the metadata: ``metadata.user``."""


class Subject(StrEnum):
    """What an event is about."""

    TRACE = "trace"
    OBSERVATION = "observation"


class Stamp(NamedTuple):
    """The order of events: by time, then by id; the same whatever order they arrive in."""

    time_ns: int
    event_id: str


@dataclass(frozen=True, slots=True)
class Change:
    """What one event sets; ``fields`` has nothing else."""

    subject: Subject
    id: str
    stamp: Stamp
    fields: dict[str, object]
    """Texts, numbers and truth values by the API's names; the rest is JSON text."""
