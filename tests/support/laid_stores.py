"""Makes each new embedded store begin as a copy of a store with its tables.

The forkserver of the benchmarks imports this module first, in an environment that names the store
to copy, because creating the tables takes longer than most measurements on a small scale.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from spanloom.storage.engine.connect import is_embedded, store_path
from spanloom.storage.upkeep import store

if TYPE_CHECKING:
    from spanloom.storage.engine.address import Where
    from spanloom.storage.upkeep.store import ClickHouseUpkeep

MADE = "MADE_STORE"
"""The variable with the path of the store to copy; without it nothing is changed."""


def lay_stores(made: str) -> None:
    """Copy the store whenever upkeep opens a store that does not exist yet."""
    opened = store.open_upkeep

    def open_upkeep(url: Where) -> ClickHouseUpkeep:
        if is_embedded(url) and not store_path(url).exists():
            shutil.copytree(made, store_path(url), symlinks=True)
        return opened(url)

    store.open_upkeep = open_upkeep


if MADE in os.environ:
    lay_stores(os.environ[MADE])
