"""The resources that all imports of a process share: the directory of files, store, collector."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from spanloom.core.errors import OverloadedError

if TYPE_CHECKING:
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits
    from spanloom.core.ports.reading import DocumentReader, ReadingStore, SentSpans

STOPPING = "The service is stopping: import the file again, what is stored is not stored twice."


class Shared:
    """The directory for files, the store, and this process's collector, once it has started."""

    def __init__(self, directory: Path, store: ReadingStore) -> None:
        """Keep the files in ``directory`` during their import."""
        self._directory, self._store = directory, store
        self._collector: tuple[Exporter, Limits] | None = None
        self._closed = Event()

    @property
    def documents(self) -> DocumentReader:
        """The reader of stored documents."""
        return self._store.documents

    @property
    def spans(self) -> SentSpans:
        """The reader of stored spans."""
        return self._store.spans

    @property
    def is_closed(self) -> bool:
        """Whether the service is stopping."""
        return self._closed.is_set()

    def use(self, exporter: Exporter, limits: Limits) -> None:
        """Store spans with ``exporter`` from now on."""
        self._collector = exporter, limits

    def collector(self) -> tuple[Exporter, Limits]:
        """Return the collector's exporter and limits; raises ``OverloadedError`` unless it runs."""
        self.ensure_open()
        if self._collector is None:
            raise OverloadedError("The service is starting: try again.")
        return self._collector

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
        """Create an empty file for an import, and return its path.

        Raises ``OverloadedError`` if it cannot be created.
        """
        try:
            handle, name = tempfile.mkstemp(prefix="import-", dir=self._directory)
        except OSError as error:
            raise no_file(error) from error
        os.close(handle)
        return Path(name)

    def close(self) -> None:
        """Refuse all calls from now on."""
        self._closed.set()


def no_file(error: OSError) -> OverloadedError:
    """Return the error for an import whose file cannot be written."""
    return OverloadedError(f"The file cannot be stored during its import: {error.strerror}.")
