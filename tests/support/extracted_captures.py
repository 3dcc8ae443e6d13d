"""Extracts a captured run in this process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.extracting import World
from tests.support.ground_truth import Answer, Capture

from spanloom.core.model.access import Reach
from spanloom.core.pricing import LISTED, PriceBook

if TYPE_CHECKING:
    from collections.abc import Callable

LATER_S = 100.0


def extract_capture(
    capture: Capture, prices: PriceBook = LISTED, change: Callable[[bytes], bytes] | None = None
) -> list[Answer]:
    """Return the trajectory of each trace of the run; duplicates of another trace are marked."""
    world = World(prices=prices)
    if logs := capture.logs():
        world.send_logs(logs)
    for request in capture.requests():
        world.send_message(change(request) if change else request)
    for _ in range(2):  # a repeated report is marked once the other one is stored
        world.step(LATER_S)
    return [_answer(world, trace_id) for trace_id in capture.spans_by_trace]


def _answer(world: World, trace_id: str) -> Answer:
    spans = world.store.documents.spans(trace_id, Reach.ALL)
    assert spans is not None, f"{trace_id} was not extracted"
    return Answer(world.document(trace_id), json.loads(spans))
