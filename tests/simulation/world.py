"""Collectors, extractors and the engine, with the steps that change them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from tests.simulation.engine import NS, Engine
from tests.simulation.process import Process
from tests.simulation.tables import OF_SPANS, TABLES, SpanRow, blocks_of, rank_of, revisit_blocks

from spanloom.core.model.span import Span, TraceKey
from spanloom.core.ports.spans import LONGEST_APPEND_S
from spanloom.extractor.result import MAX_TRACE_SPANS, BuildOptions
from spanloom.heartbeat import BEAT_S
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.simulation.tables import Blocks

T0_NS = 1_900_000_000 * NS
TRACE = TraceKey("p", "ab" * 16)
REST_S = (*[1] * 10, *[5] * 20, *[61] * 10, *[1000] * 4, *[3600] * 3)
"""Seconds between looks until rest: longer than any wait, including those after failures."""
COLLECTORS = 64
"""Maximum number of collectors whose sequences are distinct."""
ORDERS = tuple(permutations(OF_SPANS))
"""Possible orders of the blocks of an INSERT of spans, because views commit separately."""


class Request(NamedTuple):
    """An accepted request in a spool."""

    seq: int
    accepted_ns: int
    key: TraceKey
    spans: Sequence[Span]

    @property
    def rows(self) -> list[SpanRow]:
        return [SpanRow(self.key, s, rank_of(s), self.accepted_ns) for s in self.spans]


@dataclass
class Collector:
    """A collector: its spool, and one INSERT at a time, which is committed block by block."""

    ahead_s: int = 0
    last_seq: int = 0
    spool: list[Request] = field(default_factory=list)
    under_way: Blocks = field(default_factory=list)
    """The blocks of the INSERT that are not committed yet."""
    in_insert: int = 0
    """The number of the spool's requests in the INSERT."""
    began_ns: int = 0


class World:
    """The engine, collectors and extractors, and the steps that change them."""

    def __init__(
        self,
        collectors: int = 1,
        extractors: int = 1,
        max_spans: int = MAX_TRACE_SPANS,
        ahead_s: Sequence[int] = (0,),
        *,
        shares: bool = False,
    ) -> None:
        """Create collectors and extractors; their clocks are ahead by ``ahead_s`` in turn."""
        self.engine = Engine(TABLES, T0_NS)
        self.options = BuildOptions(max_spans)
        self.metrics = Metrics()
        aheads = [ahead_s[n % len(ahead_s)] for n in range(collectors + extractors)]
        self.collectors = [Collector(ahead) for ahead in aheads[:collectors]]
        self.extractors = [
            Process(
                *(self.engine, self.metrics, self.options, ahead * NS),
                name=f"extractor {number}",
                shares=shares,
            )
            for number, ahead in enumerate(aheads[collectors:])
        ]
        self.sent: list[Request] = []
        self.expired: set[TraceKey] = set()

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.engine.now_ns += int(seconds * NS)

    # Collectors.

    def send(self, *spans: Span, key: TraceKey = TRACE, by: int = 0, seq: int = 0) -> Request:
        """Accept spans into the spool of a collector; return the request."""
        collector = self.collectors[by]
        now_ns = self.engine.now_ns + collector.ahead_s * NS
        collector.last_seq = seq = seq or self._next_seq(by, now_ns)
        own = [span._replace(trace_id=key.trace_id, row_version=seq) for span in spans]
        request = Request(seq, now_ns, key, own)
        collector.spool.append(request)
        self.sent.append(request)
        return request

    def _next_seq(self, by: int, now_ns: int) -> int:
        """Return the next sequence of a collector; no other collector uses it."""
        lowest = max(self.collectors[by].last_seq + 1, now_ns // 1000)
        return lowest + (by - lowest) % COLLECTORS

    def store_block(self, by: int = 0, order: Sequence[str] = OF_SPANS) -> None:
        """Commit the next block of a collector's INSERT, which contains its whole spool."""
        collector, now_ns = self.collectors[by], self.engine.now_ns
        if now_ns - collector.began_ns > LONGEST_APPEND_S * NS:
            collector.under_way = []  # the store has aborted the INSERT
        if not collector.under_way and collector.spool:
            collector.in_insert, collector.began_ns = len(collector.spool), now_ns
            rows = [row for request in collector.spool for row in request.rows]
            collector.under_way = blocks_of(rows, now_ns, order)
        if collector.under_way:
            self.engine.commit(*collector.under_way.pop(0))
            if not collector.under_way:
                del collector.spool[: collector.in_insert]

    def store(self, by: int = 0, order: Sequence[str] = OF_SPANS) -> None:
        """Store the whole spool of a collector."""
        while self.collectors[by].spool:
            self.store_block(by, order)

    def lose_answer_of(self, by: int = 0, order: Sequence[str] = OF_SPANS) -> None:
        """Store a collector's spool, but lose the response, so that the spool is stored again."""
        kept = list(self.collectors[by].spool)
        self.store(by, order)
        self.collectors[by].spool[:0] = kept

    # The store.

    def kill_store(self) -> None:
        """Kill the store: blocks that are not committed are lost, and statements fail."""
        for collector in self.collectors:
            collector.under_way = []
        for extractor in self.extractors:
            extractor.lose_store()

    def revisit(self, key: TraceKey = TRACE) -> None:
        """Make a trace due again."""
        mark = len(self.engine.logs["trace_requests"].every_row)
        for table, rows in revisit_blocks([key], self.engine.now_ns, mark):
            self.engine.commit(table, rows)

    def expire(self, key: TraceKey = TRACE) -> None:
        """Let retention remove the spans of a trace, all of which are stored and visible."""
        is_stored = all(r.key != key for c in self.collectors for r in c.spool)
        if is_stored and self.engine.now_ns >= self.engine.settled_ns:
            self.expired.add(key)
            for table in OF_SPANS:
                self.engine.remove(table, lambda row: row.key == key)

    # Time.

    def run(self, seconds: float, every_s: float = 1) -> None:
        """Let time pass, with a look of every extractor after each ``every_s`` seconds."""
        for _ in range(round(seconds / every_s)):
            self.advance(every_s)
            if every_s > BEAT_S:  # heartbeats are written between looks too
                self.beat()
                self.advance(BEAT_S)
            self.beat()
            for extractor in self.extractors:
                extractor.run()

    def beat(self) -> None:
        """Let all living extractors write heartbeats, and see those of the others."""
        for _ in range(2):
            for extractor in self.extractors:
                extractor.beat()

    def come_to_rest(self) -> None:
        """Store everything, end every delay, and let the living extractors do all their work."""
        for by in range(len(self.collectors)):
            self.store(by)
        for log in self.engine.logs.values():
            log.delay_ns = 0
        self.engine.now_ns = max(self.engine.now_ns, self.engine.settled_ns)
        if not any(extractor.is_alive for extractor in self.extractors):
            self.extractors[0].restart()
        for seconds in REST_S:
            self.run(seconds, seconds)


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
