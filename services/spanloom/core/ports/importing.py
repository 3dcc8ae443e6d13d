"""Imports of files into this service: one is written piece by piece, then read and stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MOST_BYTES = 256 << 20
"""The longest file."""
Line: TypeAlias = "Mapping[str, object]"
"""A line of the answer to an import, as JSON has it; ``docs/export.md`` describes each kind."""
StoreScores: TypeAlias = "Callable[[Sequence[tuple[str, Mapping[str, object]]]], Sequence[str]]"
"""Stores scores, each with its project and as in ``POST /v1/scores``; returns why not, by score."""


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
    store_scores: StoreScores | None = None
    """Stores the scores of the runs; ``None``: they are refused."""


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
