"""The port of imports: a file is uploaded in pieces, then read and stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

MOST_BYTES = 256 << 20
"""The largest file."""
Line: TypeAlias = "Mapping[str, object]"
"""A line of the answer to an import, as JSON has it; ``docs/export.md`` describes each kind."""


class ScoreTaker(Protocol):
    """Stores the scores of a file."""

    def schemes(self, project: str) -> AbstractSet[str]:
        """Return the names of a project's schemes: scores of these names come from annotations."""

    def store(self, items: Sequence[Mapping[str, object]], project: str) -> int:
        """Store all, as ``POST /v1/scores`` has them, and return how many wait for their runs.

        An empty project is that of the key. Raises ``PermanentError`` if one of them is refused;
        then none is stored.
        """


class Wanted(NamedTuple):
    """The options of an import."""

    format: str = ""
    """The id of a format that is read; empty: the shape of the first value decides."""
    project: str = ""
    """Where all runs go; empty: into the projects that the file names."""
    key_project: str = ""
    """The project of the caller's key, which is then ``project`` too; empty for any."""
    as_new: bool = False
    """Whether documents get other ids, made of the old ones."""
    scores: ScoreTaker | None = None
    """Stores the scores of the runs; ``None``: scores are refused."""


class RunningImport(Protocol):
    """One import; its methods block, and are called one after the other, but for ``close``."""

    def write(self, piece: bytes) -> None:
        """Append to the file; raises ``RetryableError`` if the disk has no room."""

    def next_lines(self) -> Sequence[Line] | None:
        """Read the next part of the file, and return lines of the answer; ``None`` after the end.

        Raises ``InvalidRequestError`` if the file cannot be read, or read on, and
        ``RetryableError`` if nothing can be stored, or compared, at the moment.
        """

    def close(self) -> None:
        """End the import and delete the file; what was stored by then stays."""


class Importer(Protocol):
    """Begins imports."""

    def begin(self, wanted: Wanted) -> RunningImport:
        """Begin an import; raises ``RetryableError`` if it is not possible at the moment."""
