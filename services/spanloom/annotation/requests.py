"""Write requests of annotators, and the errors that refuse them."""

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
    """The changed fields; empty: the annotation is confirmed for the step's current content."""
    base_revision: int | None = None
    """The revision that the client had seen, 0 if none; ``None``: the current one."""
    is_deleted: bool = False


class Session(NamedTuple):
    """The common context of writes: annotator, scheme and trajectory."""

    key: TraceKey
    scheme: Scheme
    annotator: str
    version: int
    """The version that the annotator saw; 0: the current one."""
    origin: Origin = Origin.HUMAN
    group: str = ""
    """The id of a group of writes that are undone together; empty: each write alone."""
    is_lenient: bool = False
    """Whether unknown options are kept, as for imports."""


class Problem(NamedTuple):
    """An invalid field of a write request."""

    place: int
    """Index of the write in the request, from 0."""
    field: str
    reason: str


class InvalidWritesError(PermanentError):
    """A request has invalid writes (422); nothing of it was stored."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Build the message from all problems."""
        super().__init__("; ".join(f"{p.field} of write {p.place}: {p.reason}" for p in problems))
        self.problems = problems


class WriteConflictError(PermanentError):
    """Fields were changed by somebody else since they were read (409); nothing was stored."""

    def __init__(self, fields: Mapping[str, Sequence[str]], rows: Sequence[Annotation]) -> None:
        """Keep the current rows of the conflicting steps; ``fields`` are by step id."""
        named = "; ".join(f"{step or 'the whole'}: {', '.join(f)}" for step, f in fields.items())
        super().__init__(f"Changed elsewhere since you read it: {named}.")
        self.rows = rows
