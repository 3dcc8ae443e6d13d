"""Langfuse's ingestion API (``POST /api/public/ingestion``) in front of the one Export.

Events are merged into what is known of their observations (``observations.py``); every changed
observation goes on as one whole span (``langfuse_spans.py``). The span's newer version holds all
that the older one held, because requests are merged and spooled one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from spanloom.collector.doors.langfuse.events import read_batch
from spanloom.collector.doors.langfuse.spans import encode_observations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.collector.doors.langfuse.observations import Observations
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits

_PROJECT = ""
"""Keys will name it, as for every other front door."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of each event of a batch."""

    accepted: Sequence[str]
    refused: Sequence[tuple[str, str]]
    """Event id and reason."""


class LangfuseIngestion:
    """Takes batches; what it says is accepted is fsynced."""

    def __init__(self, exporter: Exporter, observations: Observations, limits: Limits) -> None:
        """Put spans through ``exporter`` and remember observations in ``observations``."""
        self._exporter = exporter
        self._observations = observations
        self._limits = limits
        self._one_at_a_time = Lock()

    def ingest(self, body: bytes) -> Ingested:
        """Store a batch's events; safe to be sent again.

        Raises ``InvalidRequestError``, ``RequestTooLargeError`` and ``OverloadedError``.
        """
        batch = read_batch(body, self._limits)
        with self._one_at_a_time:
            changed = self._observations.merge(_PROJECT, batch.changes)
            if changed:
                self._exporter.export_traces(encode_observations(changed))
        self._exporter.count_dropped("langfuse_events", batch.dropped)
        return Ingested(batch.accepted, batch.refused)
