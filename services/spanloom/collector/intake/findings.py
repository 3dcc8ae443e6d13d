"""Counts rejected and changed spans in one request, and describes them to the client."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Rejection(StrEnum):
    """Why a span or content event was rejected; the value is the message to the client."""

    TRACE_ID = "trace_id must be 16 bytes and not all zero"
    SPAN_ID = "span_id must be 8 bytes and not all zero"
    QUOTA = "their project has reached its quota of stored bytes"
    NO_TARGET = "an evaluation result must name a trace, or the gen_ai.response.id that it judges"
    TIME = "times must be whole microseconds since 1970 that fit into 64 bits of nanoseconds"

    @property
    def rule(self) -> str:
        """The name of the violated rule in the metrics."""
        return self.name.lower()


class Change(StrEnum):
    """A kind of change of an accepted span; the value is the message to the client."""

    PARENT_ID = "parent_span_id was not 8 bytes and was removed"
    KEYS = "attributes with too long keys were dropped"
    VALUES = "too long attribute values were cut or dropped"
    ATTRIBUTES = "attributes beyond the limit were dropped"
    EVENTS = "events beyond the limit were dropped"
    LINKS = "links beyond the limit were dropped"
    PROJECT = (
        "project names that are not printable text of at most 200 bytes, or *, were passed over"
    )
    STRING_INDEX = (
        "string indexes are not for traces: such values were read as unset, such keys as empty"
    )


class Findings:
    """Counts rejections and changes per rule, so that the message has a bounded length."""

    def __init__(self) -> None:
        """Start without rejections and changes."""
        self.rejections: Counter[Rejection] = Counter()
        self.changes: Counter[Change] = Counter()

    @property
    def rejected(self) -> int:
        """Number of rejected spans or events."""
        return self.rejections.total()

    @property
    def rejected_by_rule(self) -> Mapping[str, int]:
        """Number of rejected spans or events, keyed by the name of the rule."""
        return {rejection.rule: count for rejection, count in self.rejections.items()}

    def message(self, what: str = "spans") -> str:
        """Return the report of rejections and changes; empty if there are none."""
        parts = []
        if self.rejections:
            parts.append(f"Rejected {what}: {_listed(self.rejections.items())}.")
        if self.changes:
            parts.append(f"Accepted with changes: {_listed(self.changes.items())}.")
        return " ".join(parts)


def _listed(counts: Iterable[tuple[StrEnum, int]]) -> str:
    return "; ".join(f"{sentence} ({count})" for sentence, count in counts)
