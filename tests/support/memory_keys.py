"""In-memory API keys."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from spanloom.core.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Key


@dataclass
class MemoryKeys:
    """``KeyStore`` in a dictionary; with ``is_down`` it fails like an unreachable server."""

    kept: dict[str, Key] = field(default_factory=dict)
    is_down: bool = False

    def read_all(self) -> Sequence[Key]:
        self._check()
        return list(self.kept.values())

    def add(self, key: Key) -> None:
        self._check()
        self.kept[key.id] = key

    def revoke(self, key_id: str, at_ns: int) -> None:
        self._check()
        key = self.kept.get(key_id)
        if key and not key.revoked_ns:
            self.kept[key_id] = replace(key, revoked_ns=at_ns)

    def record_uses(self, used_ns: Mapping[str, int]) -> None:
        self._check()
        for key_id, at_ns in used_ns.items():
            if key := self.kept.get(key_id):
                self.kept[key_id] = replace(key, used_ns=max(key.used_ns, at_ns))

    def close(self) -> None:
        pass

    def _check(self) -> None:
        if self.is_down:
            raise StoreUnavailableError("the keys are gone for now")
