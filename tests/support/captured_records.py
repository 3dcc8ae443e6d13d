"""All captured runs as records of one project, extracted in this process."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.extracted_captures import LATER_S
from tests.support.extracting import World
from tests.support.ground_truth import all_captures
from tests.support.memory_store import MemoryStore

from spanloom.core.formats.canonical import encode_document
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.ground_truth import Capture

    from spanloom.core.ports.trajectories import TrajectoryRecord


def captured_records(project: str) -> list[TrajectoryRecord]:
    """Return the runs of all captures, each trace once."""
    found = {
        record.key.trace_id: record for one in all_captures() for record in _records(one, project)
    }
    return list(found.values())


def _records(capture: Capture, project: str) -> Iterator[TrajectoryRecord]:
    store = MemoryStore()
    world = World(store)
    if logs := capture.logs():
        world.send_logs(logs)
    for request in capture.requests():
        world.send_message(request)
    for _ in range(2):
        world.step(LATER_S)
    for record in store.state.records.values():
        trajectory = replace(record.trajectory, project=project)
        yield replace(
            record,
            key=TraceKey(project, record.key.trace_id),
            trajectory=trajectory,
            document=encode_document(trajectory, record.version, record.status),
        )
