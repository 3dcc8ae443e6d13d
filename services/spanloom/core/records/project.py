"""The records for projects: stored bytes, limits for senders, and retention."""

from typing import Annotated

from pydantic import Field

from spanloom.core.records.declared import Example, From, Moment
from spanloom.core.records.record import Record, example_of


class RetentionTerms(Record):
    """Days after which rows are removed; 0 keeps them."""

    spans_days: Annotated[
        int, Field(description="Days since a span was accepted."), From("spans"), Example(7)
    ]
    trajectories_days: Annotated[
        int,
        Field(description="Days since a trajectory was stored."),
        From("trajectories"),
        Example(365),
    ]


class ServiceRetention(RetentionTerms):
    """Retention of projects without terms of their own."""

    keeps_annotated: Annotated[
        bool,
        Field(description="Whether annotated trajectories stay, whatever the terms."),
        From(None),
        Example(True),
    ]


class SendingLimits(Record):
    """Limits on what a project sends and has stored; 0 is no limit."""

    spans_per_s: Annotated[float, Example(1000)]
    bytes_per_s: Annotated[float, Field(description="Decoded bytes of requests."), Example(0)]
    stored_bytes: Annotated[int, Field(description="Before compression."), Example(50_000_000_000)]


class ProjectItem(Record):
    """A project: its runs, its size, its limits and its retention."""

    project: Annotated[str, Example("default")]
    runs: Annotated[int, Field(description="Number of runs in the list of runs."), Example(1200)]
    newest_start: Annotated[
        Moment | None,
        Field(description="When the newest of them began: milliseconds since the epoch."),
        Example("1769860800000"),
    ]
    stored_bytes: Annotated[
        int | None,
        Field(
            description="Names, texts and attributes of its spans, before compression; null if "
            "none are stored."
        ),
        Example(48_200_000),
    ]
    limits: Annotated[
        SendingLimits | None,
        Field(description="Null in a process that receives no spans: it does not know them."),
        Example(example_of(SendingLimits)),
    ]
    retention: Annotated[
        RetentionTerms | None,
        Field(description="Null in a process without the keeper: it does not know them."),
        Example(example_of(RetentionTerms)),
    ]


class ProjectList(Record):
    """The projects that a key may access, by name."""

    items: list[ProjectItem]
    retention: Annotated[
        ServiceRetention | None,
        Field(description="Retention of projects without terms of their own; null likewise."),
        Example(example_of(ServiceRetention)),
    ]
