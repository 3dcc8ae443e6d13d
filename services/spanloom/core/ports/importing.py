"""The port for imports: a file is uploaded in chunks, then parsed and stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

MOST_BYTES = 256 << 20
"""Maximum size of a file, in bytes."""
Line: TypeAlias = "Mapping[str, object]"
"""A line of the response to an import, a JSON object; ``docs/export.md`` describes each kind."""


class ScoreTaker(Protocol):
    """Stores the scores that an imported file contains."""

    def schemes(self, project: str) -> AbstractSet[str]:
        """Return the names of a project's schemes; scores with such names come from annotations."""

    def store(self, items: Sequence[Mapping[str, object]], project: str) -> int:
        """Store scores in the form of ``POST /v1/scores``; return how many wait for their runs."""


class Wanted(NamedTuple):
    """The options of an import."""

    format: str = ""
    """The id of a readable format; if empty, the format is detected from the first record."""
    project: str = ""
    """The project for all runs; if empty, the projects that the file names."""
    key_project: str = ""
    """The project of the caller's key; if not empty, ``project`` must be equal."""
    as_new: bool = False
    """Whether documents get new ids, derived from the old ids."""
    scores: ScoreTaker | None = None
    """Stores the scores of the runs; if ``None``, scores are rejected."""


class RunningImport(Protocol):
    """One import; methods block and must be called one after the other, except ``close``."""

    def write(self, piece: bytes) -> None:
        """Append to the file; raises ``RetryableError`` if the disk is full."""

    def next_lines(self) -> Sequence[Line] | None:
        """Parse the next chunk of the file; return lines for the response, ``None`` at the end.

        Raises ``InvalidRequestError`` if the file cannot be read to its end, and ``RetryableError``
        if the store cannot be read or written at the moment.
        """

    def close(self) -> None:
        """End the import and delete the file; stored runs and scores stay."""


class Importer(Protocol):
    """Starts imports."""

    def begin(self, wanted: Wanted) -> RunningImport:
        """Start an import; raises ``RetryableError`` if that is not possible at the moment."""
