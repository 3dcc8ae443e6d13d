"""The facts that checks examine, or why they are missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from spanloom.core.model.access import Key
    from spanloom.core.model.diagnosis import DeadLetter, StoreState


GRPC, HTTP = "gRPC", "HTTP"
"""Protocols of a port that accepts spans."""


class Unknown(NamedTuple):
    """Facts that are not available here; checks that need them are skipped."""

    reason: str


class Broken(NamedTuple):
    """The reason why facts could not be read, which is itself reported as a finding."""

    reason: str
    todo: str


_Facts = TypeVar("_Facts")
Known: TypeAlias = "_Facts | Unknown | Broken"


class SoftwareFacts(NamedTuple):
    """The installed software."""

    spanloom: str
    python: str
    packages: int
    """Number of packages that Spanloom needs."""
    misfits: Sequence[str]
    """Packages that are missing or have an unsupported version."""


class DirectoryFacts(NamedTuple):
    """A data directory, examined without locking it."""

    path: Path
    exists: bool
    is_empty: bool
    format: int | None
    """``None`` if ``FORMAT`` is missing or has no number."""
    known_format: int
    """The newest format of a data directory that this version can use."""
    is_writable: bool
    owner: str
    """The process that has locked the directory, or locked it last; empty if there was none."""
    is_used: bool
    """Whether the owner is running."""
    was_killed: bool
    """Whether the last owner left temporary files, which a regular stop removes."""


class DiskFacts(NamedTuple):
    """The disk of the data directory, in bytes."""

    free: int
    total: int
    min_free: int
    """The free bytes below which receivers refuse requests."""
    sizes: Mapping[str, int]
    """Sizes in the directory: ``{"store": 2048, "spool": 1024}``."""


class SpoolFacts(NamedTuple):
    """Waiting requests and dead letters in the spool."""

    records: int
    bytes: int
    oldest_ns: int
    """Acceptance time of the oldest waiting request; 0 if none is waiting."""
    last_seq: int
    """The newest sequence: microseconds since the epoch, or the previous one plus one."""
    max_bytes: int
    letters: Sequence[DeadLetter]
    damaged: Sequence[Path]
    """Damaged spool files that a start moved away after it had copied the readable records."""


class ServiceFacts(NamedTuple):
    """The process that uses the data directory, queried over HTTP."""

    url: str
    pid: str
    version: str
    error: str
    """Why the process could not be queried; empty if it responded."""


class ExposureFacts(NamedTuple):
    """Whether other machines can reach the ports, according to the options."""

    host: str
    is_loopback: bool
    is_insecure: bool


class PortFacts(NamedTuple):
    """A port that the service listens on, or would listen on if it ran."""

    flag: str
    """The option that sets the port."""
    address: str
    is_ours: bool
    """Whether the running service listens on the port."""
    answers: bool
    """Whether connections to the port are accepted."""
    user: str
    """The process that listens on the port; empty if unknown."""


class DescriptorFacts(NamedTuple):
    """Open files and connections of the running process."""

    limit: int
    used: int
    """Number of open files and connections; 0 if unknown."""
    enough: int
    """A limit of open files and connections that is sufficient."""


class CertificateFacts(NamedTuple):
    """The certificate that every port serves."""

    path: Path
    expires_ns: int


class ExporterFacts(NamedTuple):
    """The destination of exporters started in this shell, from OpenTelemetry's variables."""

    address: str
    """Host, port and path."""
    protocol: str
    """The configured protocol, for example ``http/protobuf``; empty if the SDK decides."""
    speaks: str
    """Protocol of the server at the address, gRPC or HTTP; empty if it speaks neither."""
    error: str
    """Why no server answers; empty if a server answers."""
    has_scheme: bool = True
    """Whether the variable has ``http://`` or ``https://``, without which SDKs send no HTTP."""
    path: str = ""
    """The path that an SDK requests over HTTP; empty if none was requested."""
    status: int = 0
    """HTTP status of the response to a request without spans; 0 if there was no response."""
    answer: str = ""
    """The message in the response."""
    variable: str = "OTEL_EXPORTER_OTLP_ENDPOINT"
    """The environment variable that has the address."""
    scheme: str = ""
    """The scheme that the server uses, if the variable has the other scheme."""
    is_disabled: bool = False
    """Whether OTEL_SDK_DISABLED makes SDKs send nothing."""


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts; checks name the facts they need by these fields."""

    now_ns: int
    software: Known[SoftwareFacts]
    directory: Known[DirectoryFacts]
    disk: Known[DiskFacts]
    spool: Known[SpoolFacts]
    files: Known[Sequence[str]]
    """Errors in other files that a start reads; empty if there are none."""
    store: Known[StoreState]
    keys: Known[Sequence[Key]]
    exposure: Known[ExposureFacts]
    ports: Known[Sequence[PortFacts]]
    certificate: Known[CertificateFacts]
    exporter: Known[ExporterFacts]
    descriptors: Known[DescriptorFacts]
    service: Known[ServiceFacts]
    failures: Known[Sequence[str]]
    """Why the running process is not ready; empty if it is ready."""
    troubles: Known[Sequence[str]]
    """Current degradations of a process that is ready."""
