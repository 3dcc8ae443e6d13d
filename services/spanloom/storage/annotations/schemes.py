"""``SchemeStore`` in ClickHouse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spanloom.core.ports.annotations import StoredScheme
from spanloom.storage.engine.conditions import within
from spanloom.storage.engine.remembered import Remembered

if TYPE_CHECKING:
    from spanloom.core.model.tenancy import Reach
    from spanloom.storage.engine.lane import Lane


class ClickHouseSchemes:
    """Schemes over the extractor's lane and that of readers."""

    def __init__(self, worker: Lane, reader: Lane, *, is_alone: bool) -> None:
        """Take the lanes; whoever opened them closes them.

        ``is_alone`` says that no other process puts schemes.
        """
        self._worker = worker
        self._reader = reader
        self._schemes = Remembered[Sequence[StoredScheme]](is_alone=is_alone)

    def put(self, scheme: StoredScheme) -> None:
        """See ``SchemeStore.put``."""
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

    def list(self, reach: Reach, name: str = "") -> Sequence[StoredScheme]:
        """See ``SchemeStore.list``."""

        def read() -> Sequence[StoredScheme]:
            rows = self._reader.rows("read_schemes", reach=within(reach), of_name=name)
            return tuple(StoredScheme(*row) for row in rows)

        return self._schemes.get((reach, name), read)

    def text(self, project: str, name: str, scheme_hash: str) -> StoredScheme | None:
        """See ``SchemeStore.text``."""
        rows = self._reader.rows("scheme_text", project=project, of_name=name, hash=scheme_hash)
        return next((StoredScheme(*row) for row in rows), None)
