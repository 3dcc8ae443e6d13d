"""Who builds: this process, or worker processes (``extractor/workers``). Both give the same."""

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


class Asked(NamedTuple):
    """Traces to build together, and with which status each."""

    wanted: Mapping[TraceKey, Status]
    failed_before: bool = False
    """Whether they could not be built the last time: they are not tried where they do harm."""


class Built(NamedTuple):
    """Traces that were asked for, some or all of an ``Asked``, and what became of them."""

    wanted: Mapping[TraceKey, Status]
    result: BatchResult


class Builder(Protocol):
    """Builds traces from the spans that are stored, and stores what is new."""

    def build(self, asked: Iterable[Asked]) -> Generator[Built]:
        """Build all that is asked for, and tell of it piece by piece, each trace once.

        More may be asked for, and under way, than was told of. Whoever does not go on to the end
        closes the iterator: what is under way is then given up. Raises what ``build_batch`` raises.
        """

    def rest(self) -> None:
        """Give back what was kept for work that has not come for long; called now and then."""

    def close(self) -> None:
        """End what works apart; nothing is built afterwards."""


class InProcess:
    """Builds one batch after the other in this process."""

    def __init__(self, store: BuildingStore, options: BuildOptions) -> None:
        """Take the store to read and write."""
        self._store = store
        self._options = options

    def build(self, asked: Iterable[Asked]) -> Generator[Built]:
        """See ``Builder.build``."""
        for wanted, _ in asked:
            yield Built(wanted, build_batch(self._store, wanted, self._options))

    def rest(self) -> None:
        """See ``Builder.rest``: there is nothing."""

    def close(self) -> None:
        """See ``Builder.close``: there is nothing."""
