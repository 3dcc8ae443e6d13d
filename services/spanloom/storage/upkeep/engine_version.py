"""Checks that ClickHouse is new enough for the tables."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from spanloom.core.errors import StartupError

if TYPE_CHECKING:
    from spanloom.storage.engine.lane import Lane

OLDEST = (26, 2)
"""The first with the text index of ``step_texts`` (``schema/0001_baseline/09_texts.sql``)."""


def refuse_old_engine(lane: Lane) -> None:
    """Raise ``StartupError`` with the version needed if the engine is too old for our tables."""
    [(version, _)] = lane.rows("engine_state")
    if _numbers(version) < OLDEST:
        needed = ".".join(map(str, OLDEST))
        raise StartupError(
            f"the ClickHouse server is of version {version}, and the tables need {needed} or "
            "newer, for their text index: upgrade the server first; nothing was changed"
        )


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: (26, 2, 1) of ``26.2.1.altinity``."""
    return tuple(map(int, takewhile(str.isdecimal, version.split("."))))
