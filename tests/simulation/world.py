"""Collectors, extractors and the engine, with the steps that change them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.simulation.engine import NS, Engine
from tests.simulation.process import Process
from tests.simulation.tables import TABLES, SpanRow, blocks_of, rank_of

from spanloom.core.model.span import Span, TraceKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.simulation.tables import ListRow, RunRow

T0_NS = 1_900_000_000 * NS
TRACE = TraceKey("p", "ab" * 16)
LOOKS = 60
EVERY_S = 5


class Request(NamedTuple):
    """An accepted request in a spool."""

    seq: int
    accepted_ns: int
    spans: Sequence[tuple[TraceKey, Span]]

    @property
    def rows(self) -> list[SpanRow]:
        return [SpanRow(key, span, rank_of(span), self.accepted_ns) for key, span in self.spans]


@dataclass
class Collector:
    """A spool, whose first request is stored block by block."""

    ahead_ns: int = 0
    last_seq: int = 0
    spool: list[Request] = field(default_factory=list)
    under_way: list[tuple[str, Sequence[object]]] | None = None
    """The blocks of the INSERT that are not committed yet; ``None`` if there is no INSERT."""


class World:
    """Everything, and the steps."""

    def __init__(self, collectors: int = 1, extractors: int = 1) -> None:
        self.engine = Engine(TABLES, T0_NS)
        self.collectors = [Collector() for _ in range(collectors)]
        self.extractors = [Process(self.engine) for _ in range(extractors)]

    # Steps.

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.engine.now_ns += int(seconds * NS)

    def send(self, *spans: Span, key: TraceKey = TRACE, by: int = 0, seq: int = 0) -> Request:
        """Accept spans into the spool of a collector."""
        collector = self.collectors[by]
        now_ns = self.engine.now_ns + collector.ahead_ns
        collector.last_seq = seq = seq or max(collector.last_seq + 1, now_ns // 1000)
        sent = [(key, span._replace(trace_id=key.trace_id, row_version=seq)) for span in spans]
        request = Request(seq, now_ns, sent)
        collector.spool.append(request)
        return request

    def store_block(self, by: int = 0, order: Any = None) -> bool:
        """Commit the next block of the INSERT of a collector; return whether that was the last."""
        collector = self.collectors[by]
        if collector.under_way is None:
            if not collector.spool:
                return True
            collector.under_way = blocks_of(collector.spool[0].rows, self.engine.now_ns, order)
        self.engine.commit(*collector.under_way.pop(0))
        if collector.under_way:
            return False
        collector.under_way = None
        collector.spool.pop(0)
        return True

    def store(self, by: int = 0) -> None:
        """Store the whole spool of a collector."""
        while self.collectors[by].spool:
            self.store_block(by)

    def run(self, seconds: float, every_s: float = 1) -> None:
        """Let time pass, and every extractor look regularly."""
        for _ in range(round(seconds / every_s)):
            self.advance(every_s)
            for extractor in self.extractors:
                extractor.run()

    def come_to_rest(self) -> None:
        """Store everything, end every delay, and let the living extractors do all their work."""
        for by in range(len(self.collectors)):
            self.store(by)
        for log in self.engine.logs.values():
            log.delay_ns = 0
        self.engine.now_ns = max(self.engine.now_ns, self.engine.settled_ns)
        self.run(LOOKS * EVERY_S, EVERY_S)

    # What readers see.

    def document(self, key: TraceKey = TRACE) -> dict[str, Any]:
        """Return the document of a trace: that of the newest row."""
        rows: list[RunRow] = [r for r in self.engine.rows("trajectories") if r.key == key]
        rows.sort(key=lambda row: (row.seq, row.version))
        return dict(json.loads(rows[-1].document)) if rows else {}

    def span_count(self, key: TraceKey = TRACE) -> int:
        """Return how many spans the document of a trace was built from; 0 if there is none."""
        return int(self.document(key).get("extraction", {}).get("span_count", 0))

    def listed(self, key: TraceKey = TRACE) -> list[ListRow]:
        """Return the rows of a trace in the list with FINAL, as the views read it."""
        return [row for row in self.engine.final("trajectory_list") if row.key == key]

    def versions(self, key: TraceKey = TRACE) -> list[tuple[int, bytes]]:
        """Return each version of a trace that was ever stored, with its document, once."""
        rows = self.engine.logs["trajectories"].every_row
        return sorted({(row.version, row.document) for row in rows if row.key == key})


def span(number: int, start_s: float = 0, *, is_open: bool = False, name: str = "step") -> Span:
    """Return a span whose id is a number; 1 is the root."""
    start_ns = T0_NS + int(start_s * NS)
    return Span(
        trace_id="",
        span_id=f"{number:016x}",
        parent_span_id="" if number == 1 else f"{1:016x}",
        name=name,
        kind="Internal",
        start_ns=start_ns,
        end_ns=0 if is_open else start_ns + NS,
        status_code="Unset",
        status_message="",
        service_name="tests",
        scope_name="",
        scope_version="",
        attributes={},
        events=(),
        links=(),
        row_version=0,
    )


def spans(numbers: Iterable[int]) -> list[Span]:
    return [span(number) for number in numbers]
