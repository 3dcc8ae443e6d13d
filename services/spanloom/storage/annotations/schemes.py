"""Annotation schemes, and the annotated versions of documents, in ClickHouse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.ports.annotations import KeptAt, KeptVersion, StoredScheme
from spanloom.storage.engine.columns import Columns
from spanloom.storage.engine.parameters import batched, within
from spanloom.storage.engine.remembered import Remembered
from spanloom.storage.engine.row_binary import Encoder, RowBinary, text, uint32, uint64

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.access import Reach
    from spanloom.storage.engine.connection import Connection


_SCHEMES = Columns(
    StoredScheme,
    {
        "Project": "project",
        "Name": "name",
        "Hash": "hash",
        "AtUnixMicro": "at_us",
        "PutBy": "put_by",
        "Text": "text",
    },
)


class ClickHouseSchemes:
    """``SchemeStore`` in ClickHouse.

    It writes with the extractor's connection, and reads with the readers' connection.
    """

    def __init__(self, worker: Connection, reader: Connection, *, is_alone: bool) -> None:
        """Use the connections; the caller closes them.

        ``is_alone`` means that no other process writes schemes.
        """
        self._worker = worker
        self._reader = reader
        self._schemes = Remembered[Sequence[StoredScheme]](is_alone=is_alone)

    def put(self, scheme: StoredScheme) -> None:
        """See ``SchemeStore.put``."""
        with self._schemes.writes:
            self._worker.insert_objects("annotation_schemes", [_SCHEMES.row(scheme)])

    def list(self, reach: Reach, name: str = "") -> Sequence[StoredScheme]:
        """See ``SchemeStore.list``."""

        def read() -> Sequence[StoredScheme]:
            rows = self._reader.rows(
                "read_schemes", columns=_SCHEMES.columns, reach=within(reach), of_name=name
            )
            return tuple(map(_SCHEMES.object, rows))

        return self._schemes.get((reach, name), read)

    def text(self, project: str, name: str, scheme_hash: str) -> StoredScheme | None:
        """See ``SchemeStore.text``."""
        place = {"project": project, "of_name": name, "hash": scheme_hash}
        rows = self._reader.rows("scheme_text", columns=_SCHEMES.columns, **place)
        return next(map(_SCHEMES.object, rows), None)


_KEPT: Mapping[str, Encoder] = {
    "Project": text,
    "TraceId": text,
    "Version": uint32,
    "Hash": text,
    "AtUnixMicro": uint64,
    "Document": text,
}


class ClickHouseVersions:
    """``VersionKeeper`` in ClickHouse, for documents of annotated versions.

    It writes with the extractor's connection, and reads with the readers' connection.
    """

    def __init__(self, worker: Connection, reader: Connection) -> None:
        """Use the connections; the caller closes them."""
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

    def currents(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """See ``VersionKeeper.currents``."""
        living = set(keys) - self._reader.hiding.deleted_among(self._reader, keys)
        return {
            TraceKey(row.Project, row.TraceId): int(row.Version)
            for some in batched(sorted(living))
            for row in self._reader.rows("newest_versions", keys=some)
        }
