"""The differences between two runs, as typed objects."""

from __future__ import annotations

from typing import Any, Literal

from spanloom.core.model.trajectory import Status  # noqa: TC001  # pydantic reads it
from spanloom.core.records.record import Record

Op = Literal["same", "changed", "added", "removed", "moved"]


class DiffSide(Record):
    """One of the two runs."""

    trace_id: str
    project: str
    version: int
    status: Status
    outcome: str = ""
    name: str = ""
    """The name of the root."""
    started_at: int = 0
    """Milliseconds since the epoch."""


class DiffChange(Record):
    """A field that both have with different values."""

    field: str
    """``output``, ``input.limit``, ``duration`` …"""
    a: Any = None  # any JSON value
    b: Any = None  # any JSON value


class DiffStep(Record):
    """A step of either run, or of both."""

    op: Op
    type: str | None = None
    name: str | None = None
    changes: list[DiffChange] = []  # noqa: RUF012  # pydantic copies it


class DiffSummary(Record):
    """How many steps of each kind there are; the counts by op are in ``model_extra`` too."""

    same: int = 0
    changed: int = 0
    added: int = 0
    removed: int = 0
    moved: int = 0
    metrics: dict[str, list[float | None]]
    """Values of both runs by name: ``duration``, ``model_time`` and ``tool_time`` in ms, tokens,
    ``cost`` in US dollars, steps by type (``tool_steps``), ``errors``."""
    first_difference: int | None = None


class Diff(Record):
    """Two runs side by side."""

    a: DiffSide
    b: DiffSide
    same: bool
    summary: DiffSummary
    steps: list[DiffStep]
