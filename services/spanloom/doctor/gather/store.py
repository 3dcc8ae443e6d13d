"""Facts about the store and the keys."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from spanloom.core.errors import SpanloomError
from spanloom.doctor.facts import Broken, Known, Unknown
from spanloom.storage.access import KEYS_FILE, open_key_store
from spanloom.storage.diagnosis import diagnose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from spanloom.config.settings import Settings
    from spanloom.core.model.access import Key
    from spanloom.core.model.diagnosis import StoreState
    from spanloom.doctor.facts import SpoolFacts


def look_at_store(settings: Settings, spool: Known[SpoolFacts]) -> Known[StoreState]:
    """Return the store's state; an embedded store's directory must be locked by the caller."""
    place = settings.data_dir / "store"
    if settings.is_embedded and not settings.store_url and not place.exists():
        return _no_store(place, spool)
    try:
        return diagnose(settings.resolved_store_url)
    except SpanloomError as error:
        return Broken(str(error), "check that it runs, and its address and disk")


def _no_store(place: Path, spool: Known[SpoolFacts]) -> Unknown | Broken:
    if isinstance(spool, Unknown | Broken) or not spool.last_seq:
        return Unknown("there is no store yet")
    return Broken(
        f"there is no {place}, although requests were accepted: a start would make an empty one",
        "mount the disk that has it, or restore a backup: `spanloom restore`",
    )


def look_at_keys(settings: Settings) -> Known[Sequence[Key]]:
    """Return all keys; a missing key file is not created."""
    file = settings.data_dir / KEYS_FILE
    if settings.is_embedded and not file.exists():
        return ()
    keys = keys_of(lambda: _read_keys(settings))
    if settings.is_embedded and isinstance(keys, Unknown):
        return Broken(keys.reason, f"restore {file} from a backup; without it nothing starts")
    return keys


def keys_of(ask: Callable[[], Sequence[Key]]) -> Known[Sequence[Key]]:
    """Return the keys read by ``ask``, or why they cannot be read."""
    try:
        return ask()
    except SpanloomError as error:
        return Unknown(f"the keys cannot be read: {error}")


def _read_keys(settings: Settings) -> Sequence[Key]:
    with closing(open_key_store(settings.resolved_store_url, settings.data_dir)) as store:
        return store.read_all()
