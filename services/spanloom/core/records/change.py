"""The record for a change, an entry of the change feed."""

from typing import Annotated, Any, Literal

from pydantic import Field

from spanloom.core.model.trajectory import Status
from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, From, Milliseconds
from spanloom.core.records.record import Record
from spanloom.core.records.run import Run

_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def _now(announcement: Any) -> Any:  # an Announcement, or its ListedRun
    """Return the announcement; if only annotations or scores changed, the current trajectory."""
    is_current = announcement.is_judgement and announcement.now
    return announcement.now if is_current else announcement


class Change(Record):
    """A stored version of a trajectory, or a change of its annotations or scores."""

    project: Annotated[str, From("key.project"), Example("default")]
    trace_id: Annotated[str, Field(examples=[_TRACE]), From("key.trace_id"), Example(_TRACE)]
    version: Annotated[
        int,
        Field(description="Grows with every change of the trajectory."),
        From(lambda announcement: _now(announcement).version),
        Example(1),
    ]
    status: Annotated[
        Status, From(lambda announcement: _now(announcement).status), Example("settled")
    ]
    changed_at: Annotated[
        Milliseconds,
        Field(description="When it was stored, milliseconds since the epoch."),
        From(lambda announcement: announcement.changed_us // 1_000),
        Example("1715400004600"),
    ]
    start: Annotated[
        Milliseconds,
        Field(description="When the run began, likewise."),
        From(lambda announcement: _now(announcement).start_ns // 1_000_000),
        Example("1715400000000"),
    ]
    what: Annotated[
        Literal["version", "annotations"],
        Field(
            description="`annotations`: its annotations or scores changed; version and status are "
            "the current ones. Left out of a version."
        ),
        From(None),
    ] = "version"
    trajectory: Annotated[
        Run | None,
        Field(description="The current trajectory; only with `fields=core`."),
        From(None),
    ] = None


CHANGE = Declaration(Change)
