"""Imports of files into this service: one is written piece by piece, then read and stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

MOST_BYTES = 256 << 20
"""The longest file."""
Line: TypeAlias = "Mapping[str, object]"
"""A line of the answer to an import, as JSON has it; ``docs/export.md`` describes each kind."""


class ScoreTaker(Protocol):
    """Takes the scores of a file."""

    def schemes(self, project: str) -> AbstractSet[str]:
        """Return the names of a project's schemes, with which annotations make scores of people."""

    def store(self, items: Sequence[Mapping[str, object]], project: str) -> int:
        """Store all, as ``POST /v1/scores`` has them, and return how many wait for their runs.

        An empty project is that of the key. Raises ``PermanentError`` if one of them is refused;
        then none is stored.
        """


class Wanted(NamedTuple):
    """What an import is to be."""

    format: str = ""
    """The id of a format that is read; empty: the shape of the first value decides."""
    project: str = ""
    """Where all runs go; empty: into the projects that the file names."""
    key_project: str = ""
    """The project of the caller's key, which is then ``project`` too; empty for any."""
    as_new: bool = False
    """Whether documents get other ids, made of the old ones."""
    scores: ScoreTaker | None = None
    """Takes the scores of the runs; ``None``: they are refused."""


class RunningImport(Protocol):
    """One import; its methods block, and are called one after the other, but for ``close``."""

    def write(self, piece: bytes) -> None:
        """Append to the file; raises ``RetryableError`` if the disk has no room."""

    def next_lines(self) -> Sequence[Line] | None:
        """Read on in the file, and return what became of it; ``None`` behind the end.

        Raises ``InvalidRequestError`` if the file cannot be read, or read on, and
        ``RetryableError`` if nothing can be stored, or compared, at the moment.
        """

    def close(self) -> None:
        """End it and delete the file; what was stored by then stays."""


class Importer(Protocol):
    """Begins imports."""

    def begin(self, wanted: Wanted) -> RunningImport:
        """Begin one; raises ``RetryableError`` if it cannot be done at the moment."""
