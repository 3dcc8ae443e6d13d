"""Starts imports of files; at most ``AT_ONCE`` imports run at one time."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from spanloom.core.errors import OverloadedError
from spanloom.process.imports.shared import Shared

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits
    from spanloom.core.ports.importing import Wanted
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.process.imports.running import FileImport

AT_ONCE = 2
"""Maximum imports at one time; each has a child process."""


class FileImporter:
    """An ``Importer`` that stores spans with this process's collector, once that has started."""

    def __init__(self, directory: Path, store: ReadingStore) -> None:
        """Keep the files in ``directory`` during their import."""
        self._shared = Shared(directory, store)
        self._lock = Lock()
        self._running: set[FileImport] = set()

    def use(self, exporter: Exporter, limits: Limits) -> None:
        """Store spans with ``exporter`` from now on."""
        self._shared.use(exporter, limits)

    def begin(self, wanted: Wanted) -> FileImport:
        """See ``Importer``."""
        exporter, limits = self._shared.collector()
        exporter.admit(wanted.key_project)
        from spanloom.process.imports.running import FileImport  # noqa: PLC0415  # few need it

        with self._lock:
            if len(self._running) >= AT_ONCE:
                raise OverloadedError(f"{AT_ONCE} imports are running: try again.", 5.0)
            begun = FileImport(self._shared, wanted, exporter, limits, self._forget)
            self._running.add(begun)
        return begun

    def _forget(self, ended: FileImport) -> None:
        """Stop counting an import that has ended."""
        with self._lock:
            self._running.discard(ended)

    def close(self) -> None:
        """End all imports, and refuse new ones."""
        self._shared.close()
        for running in list(self._running):
            running.close()
