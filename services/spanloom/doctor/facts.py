"""What the checks look at: facts, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from spanloom.core.model.access import Key
    from spanloom.core.model.dead_letter import DeadLetter
    from spanloom.core.model.store_state import StoreState


GRPC, HTTP = "gRPC", "HTTP"
"""What is spoken at a port that takes spans."""


class Unknown(NamedTuple):
    """Facts that cannot be had here: checks that need them are skipped."""

    reason: str


class Broken(NamedTuple):
    """Facts that could not be read, which is a finding itself."""

    reason: str
    todo: str


_Facts = TypeVar("_Facts")
Known: TypeAlias = "_Facts | Unknown | Broken"


class SoftwareFacts(NamedTuple):
    """What is installed here."""

    spanloom: str
    python: str
    packages: int
    """How many packages Spanloom needs."""
    misfits: Sequence[str]
    """Those that are missing or of another version than needed."""


class DirectoryFacts(NamedTuple):
    """A data directory, seen from outside."""

    path: Path
    exists: bool
    is_empty: bool
    format: int | None
    """``None``: there is no number in ``FORMAT``, or no such file."""
    known_format: int
    """The newest format that this version can use."""
    is_writable: bool
    owner: str
    """The process that owns it or did so last; empty if there was none."""
    is_used: bool
    """Whether that process runs."""
    was_killed: bool
    """Whether the last owner left temporary files, which one that stops takes away."""


class DiskFacts(NamedTuple):
    """The disk under the data directory, in bytes."""

    free: int
    total: int
    min_free: int
    """Below this the receiver refuses requests."""
    sizes: Mapping[str, int]
    """What lies in the directory: ``{"store": 2048, "spool": 1024}``."""


class SpoolFacts(NamedTuple):
    """What waits in the spool and what was set aside."""

    records: int
    bytes: int
    oldest_ns: int
    """When the oldest waiting request was accepted; 0 if none waits."""
    last_seq: int
    """The newest sequence: microseconds since the epoch, or one more than the one before."""
    max_bytes: int
    letters: Sequence[DeadLetter]
    damaged: Sequence[Path]
    """Files that a start found damaged and has kept, after it copied what can be read."""


class ServiceFacts(NamedTuple):
    """The process that uses the data directory, asked over HTTP."""

    url: str
    pid: str
    version: str
    error: str
    """Why it could not be asked; empty if it answered."""


class DoorsFacts(NamedTuple):
    """Who can reach the ports."""

    host: str
    is_loopback: bool
    is_insecure: bool


class PortFacts(NamedTuple):
    """A port that the service has or would have."""

    flag: str
    """The option that sets it."""
    address: str
    is_ours: bool
    """Whether a running service of ours listens, or should."""
    answers: bool
    """Whether anybody accepts connections there."""
    user: str
    """Who has it, where that can be told."""


class DescriptorFacts(NamedTuple):
    """The files and connections that the running process has open."""

    limit: int
    used: int
    """0 where it cannot be told."""
    enough: int
    """A usual limit."""


class CertificateFacts(NamedTuple):
    """The certificate that every port serves."""

    path: Path
    expires_ns: int


class ExporterFacts(NamedTuple):
    """Where the variables of OpenTelemetry send the exporters of this shell."""

    address: str
    """Host, port and path."""
    protocol: str
    """As the variables name it, ``http/protobuf`` for example; empty: the SDK decides."""
    speaks: str
    """Which of the two is spoken at the address; empty if neither is."""
    error: str
    """Why nobody answers there; empty if somebody does."""


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is known; the checks name what they need by these fields."""

    now_ns: int
    software: Known[SoftwareFacts]
    directory: Known[DirectoryFacts]
    disk: Known[DiskFacts]
    spool: Known[SpoolFacts]
    files: Known[Sequence[str]]
    """What is wrong with other files that a start reads; empty if nothing is."""
    store: Known[StoreState]
    keys: Known[Sequence[Key]]
    doors: Known[DoorsFacts]
    ports: Known[Sequence[PortFacts]]
    certificate: Known[CertificateFacts]
    exporter: Known[ExporterFacts]
    descriptors: Known[DescriptorFacts]
    service: Known[ServiceFacts]
    failures: Known[Sequence[str]]
    """Why the running process is not ready; empty if it is."""
    troubles: Known[Sequence[str]]
    """What its parts cannot do at the moment although it is ready."""
