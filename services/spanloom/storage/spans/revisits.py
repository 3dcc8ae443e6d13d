"""Stored traces that are to be built again though nothing came of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.storage.engine.parameters import batched, bind
from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.storage.engine.lane import Lane


def record_revisits(lane: Lane, keys: Sequence[TraceKey]) -> None:
    """Store a change of each trace, as if nothing but its root had come."""
    for some in batched(keys):
        lane.run(query("revisit_traces"), **bind({"keys": some}))
