"""Requests for replays; an unfinished replay of the same selection is reused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.upkeep import Replay, Selection

if TYPE_CHECKING:
    from spanloom.core.ports.progress import ReplayRequests


def request_replay(replays: ReplayRequests, selection: Selection, now_ns: int) -> Replay:
    """Return the unfinished replay of this selection, or record a new one."""
    for replay in replays.unfinished(selection.reach):
        if replay.selection == selection:
            return replay
    replay = Replay(f"{now_ns // 1000:016x}", selection, replays.count_traces(selection))
    replays.record(replay)
    return replay
