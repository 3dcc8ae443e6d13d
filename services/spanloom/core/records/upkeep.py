"""The records for administration: replays, deletions, snapshots, diagnoses, the service."""

from typing import Annotated

from pydantic import Field

from spanloom.core.model.access import Reach
from spanloom.core.model.diagnosis import FindingStatus
from spanloom.core.records.declared import Example, From, Milliseconds
from spanloom.core.records.record import Record


def _named(reach: Reach) -> str | None:
    return None if reach.is_every else ", ".join(sorted(reach.projects))


def _milliseconds(nanoseconds: int | None) -> int | None:
    return None if nanoseconds is None else nanoseconds // 1_000_000


class Replay(Record):
    """The progress of a replay."""

    id: Annotated[str, Example("00064119b2c8d000")]
    total: Annotated[int, Field(description="Traces selected when it began."), Example(1200)]
    done: Annotated[int, Field(description="Traces built again."), Example(400)]
    written: Annotated[
        int, Field(description="Of these, traces whose trajectory changed."), Example(37)
    ]
    failed: Annotated[
        int,
        Field(description="Of these, traces that could not be built; they stay as they were."),
        Example(0),
    ]
    is_finished: Annotated[bool, Example(False)]


class Deletion(Record):
    """A deletion: what was deleted, by whom, when, and how much."""

    id: Annotated[
        str,
        Field(description="Empty for a dry run, which is not recorded."),
        Example("00064119b2c8d000"),
    ]
    traces: Annotated[int, Field(description="Number of deleted traces."), Example(1)]
    spans: Annotated[
        int, Field(description="Number of spans received for them, repeats included."), Example(14)
    ]
    requested_at: Annotated[
        Milliseconds,
        Field(description="Milliseconds since the epoch."),
        From(lambda deletion: deletion.requested_at_ns // 1_000_000),
        Example("1769860800000"),
    ]
    requested_by: Annotated[str, Example("127.0.0.1")]
    is_over: Annotated[
        bool,
        Field(description="Whether spans of these traces that arrive now are stored again."),
        Example(False),
    ]
    trace_id: Annotated[
        str | None, From("scope.trace_id"), Example("4bf92f3577b34da6a3ce929d0e0e4736")
    ] = None
    project: Annotated[
        str | None, From(lambda deletion: _named(deletion.scope.reach)), Example(None)
    ] = None
    conversation_id: Annotated[str | None, From("scope.conversation_id"), Example(None)] = None
    before: Annotated[
        Milliseconds | None,
        Field(description="Milliseconds since the epoch."),
        From(lambda deletion: _milliseconds(deletion.scope.start_before_ns)),
        Example(None),
    ] = None


class Snapshot(Record):
    """A snapshot of the tables of the store."""

    tables: Annotated[int, Field(description="Number of tables in it."), Example(15)]


class ServiceDescription(Record):
    """The version and the ports of a service."""

    version: Annotated[str, Field(description="Of Spanloom."), Example("1.0.0")]
    sql_port: Annotated[
        int | None,
        Field(
            description="Port for SQL, with the same host and TLS as here; null if there is none."
        ),
        Example(8123),
    ]
    otlp_http_port: Annotated[
        int | None,
        Field(description="Port for OTLP over HTTP, likewise; null if another process has it."),
        Example(4318),
    ] = None
    otlp_grpc_port: Annotated[
        int | None,
        Field(description="Port for OTLP over gRPC, likewise; null if another process has it."),
        Example(4317),
    ] = None


class FindingItem(Record):
    """What one check found."""

    name: Annotated[
        str,
        Field(description="The check (docs/operations.md).", examples=["parts"]),
        Example("detached-parts"),
    ]
    status: Annotated[FindingStatus, Example("ok")]
    found: Annotated[
        str, Field(description="What was found, numbers with their units."), Example("none")
    ]
    todo: Annotated[
        str, Field(description="What to do, with the command; empty for nothing."), Example("")
    ]


class Diagnosis(Record):
    """What the running process found."""

    version: Annotated[
        str, Field(description="The version of Spanloom that runs."), Example("1.0.0")
    ]
    pid: Annotated[
        int,
        Field(description="Its process id, also recorded in the data directory."),
        Example(4711),
    ]
    findings: list[FindingItem]
