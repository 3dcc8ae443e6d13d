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

    It has two phases: what it adds, with which the release before works on, and what it removes or
    changes once that release is gone, in the files of a folder ``finish`` within its own.
    """

    number: int
    name: str
    text: str
    """What it adds."""
    finish: str = ""
    """What it does last; most migrations have nothing."""

    @property
    def statements(self) -> list[str]:
        """The statements that add; one ends where a line ends with a semicolon."""
        return _split(self.text)

    @property
    def finish_statements(self) -> list[str]:
        """The statements of its end."""
        return _split(self.finish)


def _split(text: str) -> list[str]:
    return [s for s in _STATEMENT_END.split(text) if s.strip()]


def query(name: str) -> str:
    """Return the text of the query file of this name, which is next to the code that uses it."""
    return _texts()[name]


@cache
def _texts() -> Mapping[str, str]:
    """Read all query files at first use, at startup: later there may be no free descriptor."""
    return {name: file.read_text("utf-8").strip() for name, file in query_files().items()}


@cache
def query_files() -> Mapping[str, Traversable]:
    """Return the query files by name: every ``.sql`` file of the storage except the schema."""
    rooms = (room for room in _PACKAGE.iterdir() if room.is_dir() and room.name != "schema")
    files = (file for room in rooms for file in room.iterdir() if file.name.endswith(".sql"))
    return {file.name.removesuffix(".sql"): file for file in files}


def request_schema(*, embedded: bool) -> dict[str, str]:
    """Return the settings that pass the protobuf schema of spool records to the store.

    A server gets the text. The embedded engine would write a copy of the text to the working
    directory; it is passed the file instead.
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
    """Return the newest migration, which tells a release from the one before."""
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
"""What statements of this release have as ``log_comment``; those of 0.1.0 have none."""


def comment_of(process: str) -> str:
    """Return the ``log_comment`` of statements of one process of this release."""
    return f"{WRITER} {process}"
