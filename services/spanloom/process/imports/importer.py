"""Imports of files: keeps a file while it is imported, and allows few at one time."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING

from spanloom.core.errors import OverloadedError

if TYPE_CHECKING:
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits
    from spanloom.core.ports.importing import Wanted
    from spanloom.core.ports.reading import DocumentReader, ReadingStore, SentSpans
    from spanloom.process.imports.running import FileImport

AT_ONCE = 2
"""Imports that run at one time; each has a process."""
STOPPING = "The service is stopping: import the file again, what is stored is not stored twice."


class FileImporter:
    """An ``Importer`` that stores with the collector of this process, once there is one."""

    def __init__(self, directory: Path, store: ReadingStore) -> None:
        """Keep files in a directory while they are imported."""
        self._directory, self._store = directory, store
        self._collector: tuple[Exporter, Limits] | None = None
        self._closed = Event()
        self._lock = Lock()
        self._running: set[FileImport] = set()

    @property
    def documents(self) -> DocumentReader:
        """The stored documents."""
        return self._store.documents

    @property
    def spans(self) -> SentSpans:
        """The stored spans."""
        return self._store.spans

    @property
    def is_closed(self) -> bool:
        """Whether the service is stopping."""
        return self._closed.is_set()

    def use(self, exporter: Exporter, limits: Limits) -> None:
        """Store spans with ``exporter`` from now on."""
        self._collector = exporter, limits

    def begin(self, wanted: Wanted) -> FileImport:
        """See ``Importer``."""
        self.ensure_open()
        if self._collector is None:
            raise OverloadedError("The service is starting: try again.")
        exporter, limits = self._collector
        exporter.admit(wanted.key_project)
        from spanloom.process.imports.running import FileImport  # noqa: PLC0415  # few need it

        with self._lock:
            if len(self._running) >= AT_ONCE:
                raise OverloadedError(f"{AT_ONCE} imports are running: try again.", 5.0)
            begun = FileImport(self, wanted, exporter, limits)
            self._running.add(begun)
        return begun

    def ensure_open(self) -> None:
        """Raise ``OverloadedError`` once the service is stopping."""
        if self.is_closed:
            raise OverloadedError(STOPPING)

    def ensure_room(self, key_project: str) -> None:
        """Raise ``RetryableError`` if the disk is almost full, or the project over its rate."""
        self.ensure_open()
        if self._collector is not None:
            self._collector[0].admit(key_project)

    def new_file(self) -> Path:
        """Create an empty file; raises ``OverloadedError``."""
        try:
            handle, name = tempfile.mkstemp(prefix="import-", dir=self._directory)
        except OSError as error:
            raise no_file(error) from error
        os.close(handle)
        return Path(name)

    def forget(self, ended: FileImport) -> None:
        """Allow another import in place of one that has ended."""
        with self._lock:
            self._running.discard(ended)

    def close(self) -> None:
        """End all imports, and begin none any more."""
        self._closed.set()
        for running in list(self._running):
            running.close()


def no_file(error: OSError) -> OverloadedError:
    """Return the refusal of an import whose file cannot be written."""
    return OverloadedError(f"The file cannot be kept while it is imported: {error.strerror}.")
