"""``AnnotationStores`` in ClickHouse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spanloom.core.model.annotation import Slot
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.annotations import KeptAt, KeptVersion, StoredScheme
from spanloom.storage.annotations.rows import from_row, living_page, to_row
from spanloom.storage.engine.conditions import within
from spanloom.storage.engine.parameters import batched
from spanloom.storage.engine.remembered import Remembered
from spanloom.storage.engine.row_binary import Encoder, RowBinary, text, uint32, uint64

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.ports.annotations import AnnotationQuery
    from spanloom.storage.engine.lane import Lane

_BEFORE_ALL = Slot(TraceKey("", ""), "", "", "")
_KEPT: Mapping[str, Encoder] = {
    "Project": text,
    "TraceId": text,
    "Version": uint32,
    "Hash": text,
    "AtUnixMicro": uint64,
    "Document": text,
}


class ClickHouseAnnotations:
    """Annotations, schemes and kept versions over the extractor's lane and that of readers."""

    def __init__(self, worker: Lane, reader: Lane, *, is_alone: bool) -> None:
        """Take the lanes; whoever opened them closes them.

        ``is_alone`` says that no other process writes.
        """
        self._worker = worker
        self._reader = reader
        self._is_alone = is_alone
        self._schemes = Remembered[Sequence[StoredScheme]](is_alone=is_alone)

    def is_alone(self) -> bool:
        """See ``AnnotationStore.is_alone``."""
        return self._is_alone

    def add_annotations(self, rows: Sequence[Annotation]) -> None:
        """See ``AnnotationStore.add_annotations``."""
        self._worker.insert_objects("annotations", map(to_row, rows))

    def annotations(
        self, reach: Reach, asked: AnnotationQuery, limit: int, after: Slot | None = None
    ) -> Sequence[Annotation]:
        """See ``AnnotationStore.annotations``."""

        def read(last: Annotation | None) -> Sequence[Annotation]:
            return self._annotation_page(reach, asked, limit, last.slot if last else after)

        return living_page(self._reader, read, lambda row: row.slot.key, limit)

    def _annotation_page(
        self, reach: Reach, asked: AnnotationQuery, limit: int, after: Slot | None
    ) -> Sequence[Annotation]:
        (project, trace_id), scheme, annotator, step_id = after or _BEFORE_ALL
        rows = self._reader.rows(
            "current_annotations",
            reach=within(reach),
            trace_id=asked.trace_id,
            scheme=asked.scheme,
            annotator=asked.annotator,
            from_us=asked.from_us,
            before_us=asked.before_us,
            after_project=project,
            after_trace=trace_id,
            after_scheme=scheme,
            after_annotator=annotator,
            after_step=step_id,
            limit=limit,
        )
        return list(map(from_row, rows))

    def revisions(self, key: TraceKey, scheme: str, annotator: str) -> Sequence[Annotation]:
        """See ``AnnotationStore.revisions``."""
        rows = self._reader.rows(
            "annotation_revisions", **key._asdict(), scheme=scheme, annotator=annotator
        )
        return list(map(from_row, rows))

    def written(self, key: TraceKey, write_ids: Sequence[str]) -> Sequence[Annotation]:
        """See ``AnnotationStore.written``."""
        return [
            from_row(row)
            for some in batched(write_ids)
            for row in self._reader.rows("written_annotations", **key._asdict(), write_ids=some)
        ]

    def put_scheme(self, scheme: StoredScheme) -> None:
        """See ``SchemeStore.put_scheme``."""
        row = {
            "Project": scheme.project,
            "Name": scheme.name,
            "Hash": scheme.hash,
            "AtUnixMicro": scheme.at_us,
            "PutBy": scheme.put_by,
            "Text": scheme.text,
        }
        with self._schemes.writes:
            self._worker.insert_objects("annotation_schemes", [row])

    def schemes(self, reach: Reach, name: str = "") -> Sequence[StoredScheme]:
        """See ``SchemeStore.schemes``."""

        def read() -> Sequence[StoredScheme]:
            rows = self._reader.rows("read_schemes", reach=within(reach), of_name=name)
            return tuple(StoredScheme(*row) for row in rows)

        return self._schemes.get((reach, name), read)

    def scheme_text(self, project: str, name: str, scheme_hash: str) -> StoredScheme | None:
        """See ``SchemeStore.scheme_text``."""
        rows = self._reader.rows("scheme_text", project=project, of_name=name, hash=scheme_hash)
        return next((StoredScheme(*row) for row in rows), None)

    def keep_version(self, kept: KeptVersion) -> None:
        """See ``VersionKeeper.keep_version``."""
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

    def has_kept(self, key: TraceKey, version: int) -> bool:
        """See ``VersionKeeper.has_kept``."""
        return any(self._reader.rows("kept_version", **key._asdict(), version=version))

    def kept_version(self, key: TraceKey, version: int) -> KeptVersion | None:
        """See ``VersionKeeper.kept_version``."""
        place = {**key._asdict(), "version": version}
        for kept_hash, at_us in self._reader.rows("kept_version", **place):
            document = self._reader.blob("kept_document", **place, hash=kept_hash)
            return KeptVersion(key, version, kept_hash, at_us, document)
        return None

    def kept_versions(self, key: TraceKey) -> Sequence[KeptAt]:
        """See ``VersionKeeper.kept_versions``."""
        return [KeptAt(*row) for row in self._reader.rows("kept_versions", **key._asdict())]

    def current_version(self, key: TraceKey) -> int:
        """See ``VersionKeeper.current_version``."""
        rows = self._reader.rows("current_version", **key._asdict())
        return next((int(row.Version) for row in rows), 0)
