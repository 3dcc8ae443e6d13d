"""Decodes spans from ClickHouse and encodes trajectories for it, without a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.storage.engine.parameters import rows_in, values_in
from spanloom.storage.runs.rows import encode_record
from spanloom.storage.spans.rows import event_of, join_events, newest_spans

if TYPE_CHECKING:
    from spanloom.core.ports.building import CarriedRecord, CarriedSpans
    from spanloom.core.ports.spans import Traces
    from spanloom.core.ports.trajectories import TrajectoryRecord


class ClickHouseCodec:
    """``core.ports.building.Codec`` for the formats of ClickHouse."""

    def decode(self, carried: CarriedSpans) -> Traces:
        """See ``Codec.decode``."""
        traces = newest_spans(values_in(carried.spans))
        join_events(traces, map(event_of, rows_in(carried.events)))
        return traces

    def encode(self, record: TrajectoryRecord) -> CarriedRecord:
        """See ``Codec.encode``."""
        return encode_record(record)
