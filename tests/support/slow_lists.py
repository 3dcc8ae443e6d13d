"""Run the command; every list of trajectories makes the engine busy for nine seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.__main__ import main
from spanloom.storage.runs.lists import ClickHouseLists

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES, QUERY = 3, "SELECT sleep(3)"  # the engine refuses longer sleeps


def arm() -> None:
    """Run a long query before each list, on the readers' connection."""
    works: Callable[..., Any] = ClickHouseLists.list

    def lists(self: ClickHouseLists, *arguments: object) -> Any:  # any type
        for _ in range(TIMES):
            self._reader.run(QUERY)
        return works(self, *arguments)

    vars_of: Any = ClickHouseLists
    vars_of.list = lists


if __name__ == "__main__":
    arm()
    main()
