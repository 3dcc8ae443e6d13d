"""Requests of annotators to write, and how each can be refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import PermanentError
from spanloom.core.model.annotation import Annotation, Origin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.annotation.marks import Edit
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.span import TraceKey


class Write(NamedTuple):
    """One edit of one step, or of the whole trajectory."""

    step_id: str
    write_id: str
    edit: Edit
    """The fields that change; none: what is said still holds of the step as it is now."""
    base_revision: int | None = None
    """What the client had seen, 0 if nothing; ``None``: whatever there is."""
    is_deleted: bool = False


class Session(NamedTuple):
    """Who writes what about which trajectory."""

    key: TraceKey
    scheme: Scheme
    annotator: str
    version: int
    """That was on the screen; 0: the current one."""
    origin: Origin = Origin.HUMAN
    group: str = ""
    """What is undone together; empty: each write alone."""
    is_lenient: bool = False
    """Whether options that the scheme does not have are kept, as those of an import are."""


class Problem(NamedTuple):
    """What of a request cannot be, and where."""

    place: int
    """Of the write in the request, from 0."""
    field: str
    reason: str


class InvalidWritesError(PermanentError):
    """A request says what cannot be said (422); nothing of it was stored."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Make the message of all problems."""
        super().__init__("; ".join(f"{p.field} of write {p.place}: {p.reason}" for p in problems))
        self.problems = problems


class WriteConflictError(PermanentError):
    """Fields were changed by somebody else since they were read (409); nothing was stored."""

    def __init__(self, fields: Mapping[str, Sequence[str]], rows: Sequence[Annotation]) -> None:
        """Keep the current rows of the steps at fault."""
        named = "; ".join(f"{step or 'the whole'}: {', '.join(f)}" for step, f in fields.items())
        super().__init__(f"Changed elsewhere since you read it: {named}.")
        self.rows = rows
