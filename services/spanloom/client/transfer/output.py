"""Writes runs into a file, a folder or a stream, as their format requires."""

from __future__ import annotations

from contextlib import ExitStack
from pkgutil import resolve_name
from typing import IO, TYPE_CHECKING, Self
from urllib.parse import quote

from spanloom.core.exchange.files import Layout
from spanloom.core.formats.entry import Filed, Of
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.core.formats.entry import Format

PARQUET = ".parquet"
ROWS = "spanloom.client.transfer.tables:write_rows"
"""The function that converts lines with JSON objects to a Parquet file (``Format.has_rows``)."""


class Output:
    """A file, a folder or a stream to write to; a file gets its final name once it is complete."""

    def __init__(self, known: Format, path: Path | None, stream: IO[bytes]) -> None:
        """Write to the file or folder ``path``, or to ``stream`` if ``path`` is ``None``."""
        self._format, self._path, self._file = known, path, stream
        self._layout = Layout(known.filed)
        self._names: set[str] = set()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        if self._path is None:
            return self
        if self._format.filed is Filed.FOLDER or self._format.named:
            self._path.mkdir(parents=True, exist_ok=True)
        if self._format.filed is not Filed.FOLDER:
            self._target = self._format.target(self._path)
            self._partial = self._target.with_name(f"{self._target.name}.partial")
            self._file = self._stack.enter_context(self._partial.open("wb+"))
            self._stack.callback(self._partial.unlink, missing_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, trace_id: str, project: str, body: bytes) -> None:
        """Write a run."""
        if self._path is not None and self._format.filed is Filed.FOLDER:
            self._file_of(trace_id, project).write_bytes(body)
        else:
            self._file.write(self._layout.add(body))

    def finish(self) -> None:
        """Write the end, and rename the finished file to its final name."""
        self._file.write(self._layout.end)
        self._file.flush()
        if self._path is None or self._format.filed is Filed.FOLDER:
            return
        for name, content in self._format.side_files_of(self._target.name).items():
            self._target.with_name(name).write_bytes(content)
        if self._format.has_rows and self._target.suffix == PARQUET:
            resolve_name(ROWS)(self._file).replace(self._target)
        else:
            self._partial.replace(self._target)

    def _file_of(self, trace_id: str, project: str) -> Path:
        """Return an unused path, because an id may occur in two projects or in two files."""
        name, n = trace_id, 1
        while name in self._names:
            name = f"{trace_id}.{quote(project, safe='')}" + (f".{n}" if n > 1 else "")
            n += 1
        self._names.add(name)
        assert self._path is not None  # noqa: S101  # checked: a folder has a name
        return self._path / f"{name}{formats_of(Of.RUN)[self._format.line].suffix}"
