"""Keys in a table of a ClickHouse server: every process on it has the same."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from spanloom.storage.access.rows import key_of, scopes_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Key
    from spanloom.storage.engine.lane import Lane

_TABLE = "access_keys"


class ClickHouseKeys:
    """``KeyStore`` over a lane; the table is the keeper's to make."""

    def __init__(self, lane: Lane) -> None:
        """Take over the lane: closing the store of keys closes it."""
        self._lane = lane
        self._lock = Lock()

    def read_all(self) -> Sequence[Key]:
        """See ``KeyStore.read_all``."""
        with self._lock:
            return [key_of(**row._asdict()) for row in self._lane.rows("read_keys")]

    def add(self, key: Key) -> None:
        """See ``KeyStore.add``."""
        row = {
            "Id": key.id,
            "Digest": key.digest,
            "Project": key.project,
            "Scopes": scopes_text(key),
            "CreatedUnixNano": key.created_ns,
            "ExpiresUnixNano": key.expires_ns,
        }
        self._insert([row])

    def revoke(self, key_id: str, at_ns: int) -> None:
        """See ``KeyStore.revoke``."""
        self._insert([{"Id": key_id, "RevokedUnixNano": at_ns}])

    def record_uses(self, used_ns: Mapping[str, int]) -> None:
        """See ``KeyStore.record_uses``."""
        self._insert([{"Id": key_id, "UsedUnixNano": at} for key_id, at in used_ns.items()])

    def close(self) -> None:
        """See ``KeyStore.close``."""
        with self._lock:
            self._lane.close()

    def _insert(self, rows: Sequence[Mapping[str, object]]) -> None:
        with self._lock:
            self._lane.insert_objects(_TABLE, rows)
