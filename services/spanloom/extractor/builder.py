"""The ``Builder`` protocol, and the builder in this process.

Worker processes (``extractor/workers``) are the other builder, with the same results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.extractor.batch import build_batch

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.building import BuildingStore
    from spanloom.extractor.options import BuildOptions
    from spanloom.extractor.result import BatchResult


class BuildRequest(NamedTuple):
    """A request to build traces together, each with a status."""

    traces: Mapping[TraceKey, Status]
    failed_before: bool = False
    """Whether the last attempt failed; workers, if any, build these, where they do no harm."""


class Built(NamedTuple):
    """Built traces, some or all of a request, and their result."""

    traces: Mapping[TraceKey, Status]
    result: BatchResult


class Builder(Protocol):
    """Builds traces from stored spans, and stores what is new."""

    def build(self, requests: Iterable[BuildRequest]) -> Generator[Built]:
        """Build all requested traces; yield the results piece by piece, each trace once.

        Requests may be read ahead of the results. A caller that stops early closes the iterator,
        which discards the work in progress. Raises what ``build_batch`` raises.
        """

    def rest(self) -> None:
        """Release resources that were not used for long; called regularly."""

    def close(self) -> None:
        """End all workers; nothing is built afterwards."""


class InProcess:
    """Builds one batch after the other in this process."""

    def __init__(self, store: BuildingStore, options: BuildOptions) -> None:
        """Build with the store to read from and write to, and the build options."""
        self._store = store
        self._options = options

    def build(self, requests: Iterable[BuildRequest]) -> Generator[Built]:
        """See ``Builder.build``."""
        for requested, _ in requests:
            yield Built(requested, build_batch(self._store, requested, self._options))

    def rest(self) -> None:
        """See ``Builder.rest``: nothing to release."""

    def close(self) -> None:
        """See ``Builder.close``: nothing to end."""
