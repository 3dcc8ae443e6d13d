"""When a disk counts as full, with a disk whose size and free space the test sets."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from spanloom.collector.spool.free_space import FreeSpace, comfortable_free, least_free
from spanloom.core.errors import OverloadedError

if TYPE_CHECKING:
    from pathlib import Path

GIB = 1 << 30


@pytest.mark.parametrize(
    ("total", "asked", "least"),
    [
        (1000 * GIB, None, 2 * GIB),
        (40 * GIB, None, 2 * GIB),
        (20 * GIB, None, GIB),
        (20 * GIB, 5 * GIB, 5 * GIB),
        (20 * GIB, 0, 0),
    ],
)
def test_how_much_has_to_be_free(total: int, asked: int | None, least: int) -> None:
    assert least_free(total, asked) == least


def test_it_refuses_while_there_is_too_little_and_recovers_by_itself(tmp_path: Path) -> None:
    free: list[int | OSError] = []

    def ask(path: Path) -> tuple[int, int, int]:
        assert path == tmp_path
        now = free.pop(0)
        if isinstance(now, OSError):
            raise now
        return 100 * GIB, 0, now

    space = FreeSpace(tmp_path, None, ask=ask)
    refused = []
    free += [2 * GIB, 2 * GIB - 1, OSError(), 0, 2 * GIB]
    while free:
        space.look()
        refused.append(space.trouble)
        with pytest.raises(OverloadedError) if space.trouble else nullcontext():
            space.check()
    assert [bool(reason) for reason in refused] == [False, True, True, True, False]
    assert "2,047 MiB free, less than the 2,048 MiB" in refused[1]


def test_little_room_is_warned_of_once_before_anything_is_refused(tmp_path: Path) -> None:
    enough = comfortable_free(60 << 20, 3 << 20)
    assert enough == 2 * GIB  # more than a whole disk of 60 MiB
    assert comfortable_free(100 * GIB, 2 * GIB) == 5 * GIB
    free = [6 * GIB, 5 * GIB - 1, 5 * GIB + 1, 4 * GIB, GIB, 3 * GIB, 6 * GIB, 3 * GIB]
    space = FreeSpace(tmp_path, None, ask=lambda _: (100 * GIB, 0, free[0]))
    warned = []
    while free:
        with capture_logs() as lines:
            space.look()
        warned.append([line["event"] for line in lines if line["log_level"] == "warning"])
        free.pop(0)
    little = ["little room is left on the disk"]
    assert warned == [[], little, [], [], [], [], [], little]
