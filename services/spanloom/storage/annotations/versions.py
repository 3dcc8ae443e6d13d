"""``VersionKeeper`` in ClickHouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.ports.annotations import KeptAt, KeptVersion
from spanloom.storage.engine.row_binary import Encoder, RowBinary, text, uint32, uint64

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.storage.engine.lane import Lane

_KEPT: Mapping[str, Encoder] = {
    "Project": text,
    "TraceId": text,
    "Version": uint32,
    "Hash": text,
    "AtUnixMicro": uint64,
    "Document": text,
}


class ClickHouseVersions:
    """Kept versions over the extractor's lane and that of readers."""

    def __init__(self, worker: Lane, reader: Lane) -> None:
        """Take the lanes; whoever opened them closes them."""
        self._worker = worker
        self._reader = reader

    def keep(self, kept: KeptVersion) -> None:
        """See ``VersionKeeper.keep``."""
        place = {**kept.key._asdict(), "hash": kept.hash}
        ((there,),) = self._reader.rows("kept_hash", **place)
        row = {
            "Project": kept.key.project,
            "TraceId": kept.key.trace_id,
            "Version": kept.version,
            "Hash": kept.hash,
            "AtUnixMicro": kept.at_us,
            "Document": b"" if there else kept.document,
        }
        self._worker.insert_binary("trajectory_snapshots", _KEPT, RowBinary([row], _KEPT))

    def has(self, key: TraceKey, version: int) -> bool:
        """See ``VersionKeeper.has``."""
        return any(self._reader.rows("kept_version", **key._asdict(), version=version))

    def get(self, key: TraceKey, version: int) -> KeptVersion | None:
        """See ``VersionKeeper.get``."""
        place = {**key._asdict(), "version": version}
        for kept_hash, at_us in self._reader.rows("kept_version", **place):
            document = self._reader.blob("kept_document", **place, hash=kept_hash)
            return KeptVersion(key, version, kept_hash, at_us, document)
        return None

    def list(self, key: TraceKey) -> Sequence[KeptAt]:
        """See ``VersionKeeper.list``."""
        return [KeptAt(*row) for row in self._reader.rows("kept_versions", **key._asdict())]

    def current(self, key: TraceKey) -> int:
        """See ``VersionKeeper.current``."""
        rows = self._reader.rows("current_version", **key._asdict())
        return next((int(row.Version) for row in rows), 0)
