"""The messages to and from a child process that reads a file, in the order of sending."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.client.transfer.otlp_file import Piece, Unreadable


class Begin(NamedTuple):
    """Tells the child which file to read, with its format, project and limits."""

    path: Path
    format: str
    project: str
    as_new: bool
    most_bytes: int
    """Memory limit of the child."""
    limit_s: float
    """CPU seconds after which SIGPROF ends the child."""


class Begun(NamedTuple):
    """Reports the detected format of the file."""

    source: str


class FoundPiece(NamedTuple):
    """Sends some runs or spans from the file.

    If an item is sent in several messages, only the first has the item's run, losses and scores.
    """

    piece: Piece | Unreadable
    traces: tuple[str, ...] = ()
    """The trace ids of the spans, if there is no run."""


class Failed(NamedTuple):
    """Reports that the file, or the rest of it, cannot be read."""

    reason: str
    """The message for the user."""
    fault: str = ""
    """The traceback of a bug; empty if the file is invalid."""


class Ended(NamedTuple):
    """Reports that the whole file was read."""


Message: TypeAlias = "Begun | FoundPiece | Failed | Ended"
