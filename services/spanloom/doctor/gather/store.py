"""The store and the keys beside it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from spanloom.core.errors import SpanloomError
from spanloom.doctor.facts import Broken, Known, Unknown
from spanloom.storage.access.open import KEYS_FILE, open_key_store
from spanloom.storage.diagnosis.diagnose import diagnose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.config import Settings
    from spanloom.core.model.access import Key
    from spanloom.core.model.store_state import StoreState


def look_at_store(settings: Settings) -> Known[StoreState]:
    """Return the store's state; the caller owns the data directory of an embedded one."""
    if not settings.store_url and not (settings.data_dir / "store").exists():
        return Unknown("there is no store yet")
    try:
        return diagnose(settings.resolved_store_url)
    except SpanloomError as error:
        return Broken(str(error), "see that it runs, that its address is right and its disk whole")


def look_at_keys(settings: Settings) -> Known[Sequence[Key]]:
    """Return all keys; a file of keys that does not exist is not made."""
    if settings.is_embedded and not (settings.data_dir / KEYS_FILE).exists():
        return ()
    return keys_of(lambda: _read_keys(settings))


def keys_of(ask: Callable[[], Sequence[Key]]) -> Known[Sequence[Key]]:
    """Return the keys that ``ask`` gives, or why it cannot."""
    try:
        return ask()
    except SpanloomError as error:
        return Unknown(f"the keys cannot be read: {error}")


def _read_keys(settings: Settings) -> Sequence[Key]:
    with closing(open_key_store(settings.resolved_store_url, settings.data_dir)) as store:
        return store.read_all()
