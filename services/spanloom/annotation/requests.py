"""Checks the writes in an annotator's request against stored annotations, and makes rows of them.

Nothing is written until all writes of the request are valid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.annotation.marks import apply_edit, conflicts, find_problems, penalty_of
from spanloom.core.annotation.places import SPANS, moved_places
from spanloom.core.errors import ConflictError, PermanentError
from spanloom.core.model.annotation import NOTHING, WHOLE, Anchor, Annotation, Mark, Origin, Slot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.annotation.anchors import Anchors
    from spanloom.core.annotation.marks import Edit
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.span import TraceKey


class Write(NamedTuple):
    """One edit of one step, or of the whole trajectory."""

    step_id: str
    write_id: str
    edit: Edit
    """The changed fields; if empty, the annotation is confirmed for the step's current content."""
    base_revision: int | None = None
    """The revision that the client has seen, 0 if there was none; ``None`` means the current."""
    is_deleted: bool = False


class Session(NamedTuple):
    """The annotator, scheme and trajectory of all writes in a request."""

    key: TraceKey
    scheme: Scheme
    annotator: str
    version: int
    """The version that the annotator saw; 0 means the current version."""
    origin: Origin = Origin.HUMAN
    group: str = ""
    """The id of a group of writes that are undone together; if empty, each is undone separately."""
    is_lenient: bool = False
    """Whether unknown options are accepted, as in imports."""


class Problem(NamedTuple):
    """An invalid field of a write request."""

    place: int
    """Index of the write in the request, from 0."""
    field: str
    reason: str


class InvalidWritesError(PermanentError):
    """A request has invalid writes (422); nothing was stored."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Build the error message from all problems."""
        super().__init__("; ".join(f"{p.field} of write {p.place}: {p.reason}" for p in problems))
        self.problems = problems


class WriteConflictError(ConflictError):
    """Another write changed fields since the client read them (409); nothing was stored."""

    def __init__(self, fields: Mapping[str, Sequence[str]], rows: Sequence[Annotation]) -> None:
        """Store the current rows of conflicting steps, and their ``fields``, keyed by step id."""
        named = "; ".join(f"{step or 'the whole'}: {', '.join(f)}" for step, f in fields.items())
        super().__init__(f"Changed elsewhere since you read it: {named}.")
        self.rows = rows


class AnchorVersions(NamedTuple):
    """The versions of a trajectory that annotations can be anchored to."""

    version: Anchors | None
    """The version that the annotator saw; ``None`` if it is not stored any more."""
    current: Anchors | None
    steps: Callable[[], Mapping[str, Any]] = dict
    """The steps of the version, with their texts."""

    def anchor(self, step_id: str, version: int) -> Anchor | None:
        """Return the anchor of a step; ``None`` if there is no such step.

        If the version that the annotator saw is not stored any more, the step's content is unknown:
        the hash stays empty, and the annotation counts as changed until it is confirmed.
        """
        if step_id == WHOLE:
            return Anchor(version)
        known = self.version or self.current
        step = known.by_id.get(step_id) if known else None
        if step is None:
            return None
        anchor = step.anchor(version)
        return anchor if self.version else anchor._replace(step_hash="")


class Batch:
    """Converts the writes of a request to rows; ``added`` are the rows to store."""

    def __init__(
        self, session: Session, versions: AnchorVersions, stored: Sequence[Annotation], at_us: int
    ) -> None:
        """Start with all stored rows of the annotator on the trajectory, oldest revision first."""
        self.added: list[Annotation] = []
        self._session = session
        self._versions = versions
        self._at_us = at_us
        self._rows: dict[str, list[Annotation]] = {}
        for row in stored:
            self._rows.setdefault(row.slot.step_id, []).append(row)
        self._problems: list[Problem] = []
        self._conflicts: dict[str, Sequence[str]] = {}

    def add(self, place: int, write: Write) -> Annotation | None:
        """Return the new or already stored row of a write; ``None`` if refused (see ``refuse``)."""
        rows = self._rows.setdefault(write.step_id, [])
        if known := next((row for row in rows if row.write_id == write.write_id), None):
            return known
        anchor = self._anchor(place, write, rows)
        now = _mark_of(rows[-1]) if rows else NOTHING
        mark = self._mark(place, write, now, _base(rows, write))
        if anchor is None or mark is None:
            return None
        if rows and mark.value.get(SPANS) and _may_differ(rows[-1].anchor, anchor):
            mark = mark._replace(value=self._moved(mark.value, write.step_id))
        row = self._row(write, rows, anchor, mark)
        rows.append(row)
        self.added.append(row)
        return row

    def refuse(self) -> None:
        """Raise ``InvalidWritesError`` or ``WriteConflictError`` if any write was refused."""
        if self._problems:
            raise InvalidWritesError(self._problems)
        if self._conflicts:
            new = {row.write_id for row in self.added}
            stored = {
                s: [r for r in self._rows[s] if r.write_id not in new] for s in self._conflicts
            }
            raise WriteConflictError(self._conflicts, [rows[-1] for rows in stored.values()])

    def _anchor(self, place: int, write: Write, rows: Sequence[Annotation]) -> Anchor | None:
        session = self._session
        if write.step_id != WHOLE and not session.scheme.is_stepwise:
            why = "is of the whole trajectory: leave step_id out"
            self._problems.append(Problem(place, "step_id", f"{session.scheme.name!r} {why}"))
            return None
        anchor = self._versions.anchor(write.step_id, session.version)
        if anchor is None and rows:
            return rows[-1].anchor  # annotations of a vanished step can still be edited
        if anchor is None:
            why = f"version {session.version} has no step {write.step_id!r}"
            self._problems.append(Problem(place, "step_id", why))
        return anchor

    def _mark(self, place: int, write: Write, now: Mark, base: Mark) -> Mark | None:
        if write.is_deleted:
            return NOTHING
        scheme = self._session.scheme
        if fields := conflicts(base, now, write.edit, scheme):
            self._conflicts[write.step_id] = fields
            return None
        mark = apply_edit(now, write.edit, scheme)
        problems = [] if self._session.is_lenient else find_problems(mark, write.edit, scheme)
        self._problems += (Problem(place, field, reason) for field, reason in problems)
        return None if problems else mark

    def _moved(self, value: Mapping[str, Any], step_id: str) -> Mapping[str, Any]:
        """Return a value with its text ranges moved to the version that the annotator saw.

        The ranges may refer to an earlier version, so they are found by their quotes.
        """
        steps = self._versions.steps()
        return moved_places(value, step_id, steps.get)

    def _row(
        self, write: Write, rows: Sequence[Annotation], anchor: Anchor, mark: Mark
    ) -> Annotation:
        session, revision = self._session, rows[-1].revision if rows else 0
        slot = Slot(session.key, session.scheme.name, session.annotator, write.step_id)
        return Annotation(
            slot=slot,
            revision=revision + 1,
            write_id=write.write_id,
            base_revision=revision if write.base_revision is None else write.base_revision,
            at_us=self._at_us,
            origin=session.origin,
            scheme_hash=session.scheme.hash,
            anchor=anchor,
            mark=mark,
            penalty=penalty_of(session.scheme, mark),
            group=session.group or write.write_id,
            is_deleted=write.is_deleted,
        )


def _may_differ(before: Anchor, now: Anchor) -> bool:
    """Return whether the annotated texts may differ; for a whole run, in any other version."""
    is_known = bool(now.step_hash) and before.step_hash == now.step_hash
    return before.version != now.version and not is_known


def _mark_of(row: Annotation) -> Mark:
    return NOTHING if row.is_deleted else row.mark


def _base(rows: Sequence[Annotation], write: Write) -> Mark:
    """Return the annotation that the client had seen; for an unknown revision, the current."""
    if write.base_revision == 0:
        return NOTHING
    seen_rows = [row for row in rows if row.revision == write.base_revision]
    if seen_rows or rows:
        return _mark_of((seen_rows or rows)[-1])
    return NOTHING
