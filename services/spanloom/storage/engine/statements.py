"""SQL in files: migrations of the schema, applied by number, and queries, looked up by name."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

_PACKAGE = files("spanloom.storage")
_STATEMENT_END = re.compile(r";\s*$", re.MULTILINE)
_NUMBERED = re.compile(r"(\d{4})_(\w+)(\.sql)?")


class Migration(NamedTuple):
    """One migration as shipped: a file, or a folder of files such as the baseline.

    It has two phases: additions, with which the previous release keeps working, and removals or
    changes for when that release is gone, in a folder ``finish`` inside the migration's folder.
    """

    number: int
    name: str
    text: str
    """SQL of the additions."""
    finish: str = ""
    """SQL of the second phase; empty for most migrations."""

    @property
    def statements(self) -> list[str]:
        """The statements of the additions; each ends with a semicolon at the end of a line."""
        return _split(self.text)

    @property
    def finish_statements(self) -> list[str]:
        """The statements of the second phase."""
        return _split(self.finish)


def _split(text: str) -> list[str]:
    return [s for s in _STATEMENT_END.split(text) if s.strip()]


def query(name: str) -> str:
    """Return the text of the named query file, which is next to the code that uses it."""
    return _texts()[name]


@cache
def _texts() -> Mapping[str, str]:
    """Read all query files at first use, at startup, because file descriptors may run out later."""
    return {name: file.read_text("utf-8").strip() for name, file in query_files().items()}


@cache
def query_files() -> Mapping[str, Traversable]:
    """Return every ``.sql`` file of the storage except the schema, keyed by name."""
    rooms = (room for room in _PACKAGE.iterdir() if room.is_dir() and room.name != "schema")
    files = (file for room in rooms for file in room.iterdir() if file.name.endswith(".sql"))
    return {file.name.removesuffix(".sql"): file for file in files}


def request_schema(*, embedded: bool) -> dict[str, str]:
    """Return the settings that pass the protobuf schema of spool records to the store.

    A server gets the text. The embedded engine gets the file's path, because it would write a copy
    of the text to the working directory.
    """
    file = _PACKAGE / "schema" / "store.proto"
    if embedded:
        return {"format_schema_source": "file", "format_schema": f"{file}:Record"}
    return {
        "format_schema_source": "string",
        "format_schema": file.read_text("utf-8"),
        "format_schema_message_name": "Record",
    }


@cache
def migrations() -> tuple[Migration, ...]:
    """Return the migrations in their order; the first is the baseline."""
    found = ((_NUMBERED.fullmatch(p.name), p) for p in (_PACKAGE / "schema").iterdir())
    return tuple(sorted(_migration_of(int(m[1]), p) for m, p in found if m))


def newest() -> Migration:
    """Return the newest migration, which identifies a release."""
    return migrations()[-1]


def _migration_of(number: int, entry: Traversable) -> Migration:
    finish = entry / "finish"
    return Migration(
        number, entry.name, _text_of(entry), _text_of(finish) if finish.is_dir() else ""
    )


def _text_of(entry: Traversable) -> str:
    """Return the text of a file, or of a folder's files in the order of their names."""
    if entry.is_file():
        return entry.read_text("utf-8")
    parts = sorted((p for p in entry.iterdir() if p.name.endswith(".sql")), key=lambda p: p.name)
    return "\n".join(part.read_text("utf-8") for part in parts)


WRITER = f"spanloom/{newest().number}"
"""The ``log_comment`` of this release's statements; statements of release 0.1.0 have none."""


def comment_of(process: str) -> str:
    """Return the ``log_comment`` of the statements of one process of this release."""
    return f"{WRITER} {process}"
