"""Worker processes on a real store, with codecs that fail as the test demands."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Status
from spanloom.extractor.batch import BuildRequest
from spanloom.extractor.result import BY_DEFAULT, BatchResult, BuildOptions
from spanloom.extractor.workers.messages import Begin
from spanloom.extractor.workers.pipeline import Pipeline
from spanloom.extractor.workers.pool import Pool
from spanloom.metrics import Metrics
from spanloom.storage.codec import ClickHouseCodec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.building import CarriedRecord, CarriedSpans, Codec
    from spanloom.core.ports.spans import Traces
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.storage.store import ClickHouseStore

LEAST_S = 0.5
"""CPU time limit of a round in seconds, so that a hanging worker is ended soon."""


class TroubledCodec(ClickHouseCodec):
    """A codec that fails on a trace, with the fault and in the round that its id names."""

    def decode(self, carried: CarriedSpans) -> Traces:
        found = super().decode(carried)
        for key in found:
            _meet(key, "d")
        return found

    def encode(self, record: TrajectoryRecord) -> CarriedRecord:
        _meet(record.key, "e")
        return super().encode(record)


def troubled(trouble: str, at: str) -> str:
    """Return the id of a trace that causes a fault (``kill``, ``hang``, ``fill``, ``fail``)."""
    return (TROUBLES[trouble] + {"decode": "d", "encode": "e"}[at]).ljust(32, "0")


TROUBLES = {"kill": "dead", "hang": "beef", "fill": "f111", "fail": "fa11"}


def _meet(key: TraceKey, at: str) -> None:
    match key.trace_id[:5].removesuffix(at):
        case "dead":
            os._exit(9)
        case "beef":
            while True:
                pass
        case "f111":
            bytearray(8 << 30)
        case "fa11":
            raise LookupError("nobody foresaw this")


class Workers:
    """A pipeline with its own workers, and its recorded reports."""

    def __init__(
        self, store: ClickHouseStore, codec: Codec, count: int, options: BuildOptions
    ) -> None:
        self.metrics = Metrics()
        self.pool = Pool(count, Begin(codec, options), self.metrics)
        self.pipeline = Pipeline(store, store, self.pool, options, 0, LEAST_S)

    def build(self, *batches: Sequence[TraceKey], failed_before: bool = False) -> BatchResult:
        """Build batches and return all results."""
        result = BatchResult()
        requests = (
            BuildRequest(dict.fromkeys(keys, Status.SETTLED), failed_before) for keys in batches
        )
        with closing(self.pipeline.build(requests)) as building:
            for built in building:
                result.add(built.result)
        return result

    @property
    def deaths(self) -> float:
        value = self.metrics.registry.get_sample_value("spanloom_extract_worker_deaths_total")
        return value or 0.0


@contextmanager
def workers(
    store: ClickHouseStore,
    codec: Codec | None = None,
    count: int = 2,
    options: BuildOptions = BY_DEFAULT,
) -> Iterator[Workers]:
    """Run workers in a context manager, and end all of them."""
    have = Workers(store, codec or ClickHouseCodec(), count, options)
    try:
        yield have
    finally:
        have.pipeline.close()
