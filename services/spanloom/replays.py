"""Asking for a replay: one of the same selection that is not finished goes on instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.replay import Replay, Selection

if TYPE_CHECKING:
    from spanloom.core.ports.progress import ReplayRequests


def request_replay(store: ReplayRequests, selection: Selection, now_ns: int) -> Replay:
    """Return the replay of this selection that is under way, else record a new one."""
    for replay in store.unfinished_replays(selection.reach):
        if replay.selection == selection:
            return replay
    replay = Replay(f"{now_ns // 1000:016x}", selection, store.count_traces(selection))
    store.record_replay(replay)
    return replay
