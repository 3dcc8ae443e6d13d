"""Decides whether a running service owns the store, or this command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import StartupError
from spanloom.process.datadir import DataDir, DirectoryInUseError

if TYPE_CHECKING:
    from contextlib import ExitStack

    from spanloom.config import Settings


def own_store(settings: Settings, stack: ExitStack) -> bool:
    """Lock the data directory if the store is in it; return whether the store can be opened.

    False means that a running service owns it, and has to do the work. Raises ``StartupError``
    if there is no store.
    """
    if not settings.is_embedded:
        return True
    if not settings.store_url and not (settings.data_dir / "store").exists():
        raise StartupError(
            f"there is no store in {settings.data_dir.absolute()}: --data-dir names another"
        )
    try:
        stack.enter_context(DataDir(settings.data_dir))
    except DirectoryInUseError:
        return False
    return True
