"""The API over a store that holds what a test puts in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.listed_runs import listed_run
from tests.support.memory_annotations import MemoryAnnotations
from tests.support.otlp_requests import message_of

from spanloom.api.app import create_app
from spanloom.core.model.replay import Replay, Selection
from spanloom.core.model.span import TraceKey
from spanloom.core.model.tenancy import Reach
from spanloom.core.model.trajectory import Outcome, Status
from spanloom.core.ports.deletions import Extent
from spanloom.core.ports.feed import FeedPage
from spanloom.core.ports.reading import Documents, StoredVersion
from spanloom.core.ports.steps import ANY_STEP
from spanloom.core.query.continuations import NO_CONTINUATION, Continuation
from spanloom.core.query.positions import Position
from spanloom.core.query.question import ANY_RUN
from spanloom.core.query.stats import Group
from spanloom.core.query.summaries import ConversationSummary, Cursor, ListedRun
from spanloom.telemetry import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

    from spanloom.core.model.deletion import Deletion, DeletionScope
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.ports.steps import ListedStep, StepCursor, StepsAsked
    from spanloom.core.ports.texts import HitCursor, TextHit, TextSearch
    from spanloom.core.query.question import Question
    from spanloom.core.query.stats import Numbers
    from spanloom.core.query.where.tree import Condition

REPLAY = "00064119b2c8d000"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@dataclass
class ShelfStore(MemoryAnnotations):
    """The reading half of a trajectory store: a shelf of documents and of summaries."""

    documents: dict[TraceKey, bytes] = field(default_factory=dict)
    spans: dict[TraceKey, bytes] = field(default_factory=dict)
    rows: list[ListedStep] = field(default_factory=list)
    """Steps of one run."""
    summaries: list[ListedRun] = field(default_factory=list)
    talks: list[ConversationSummary] = field(default_factory=list)
    continuations: dict[TraceKey, Continuation] = field(default_factory=dict)
    asked: list[tuple[Reach, Condition | None]] = field(default_factory=list)
    recorded: dict[str, Replay] = field(default_factory=dict)
    deleted: list[Deletion] = field(default_factory=list)
    sent: dict[TraceKey, Sequence[WireSpan]] = field(default_factory=dict)
    hits: list[TextHit] = field(default_factory=list)
    searched: list[tuple[Reach, TextSearch]] = field(default_factory=list)
    error: Exception | None = None

    def __post_init__(self) -> None:
        MemoryAnnotations.__init__(self)

    def current_version(self, key: TraceKey) -> int:
        return 1 if key in self.documents else 0

    def document(self, trace_id: str, reach: Reach) -> bytes | None:
        return self._on_shelf(self.documents, trace_id, reach)

    def spans_document(self, trace_id: str, reach: Reach) -> bytes | None:
        return self._on_shelf(self.spans, trace_id, reach)

    def both_documents(self, trace_id: str, reach: Reach) -> Documents | None:
        found = self.document(trace_id, reach)
        spans = self.spans_document(trace_id, reach)
        return None if found is None else Documents(found, spans or b"[]")

    def versions(self, trace_id: str, reach: Reach) -> Sequence[StoredVersion]:
        if self.find_home(trace_id, reach) is None:
            return []
        return [StoredVersion(1, Status.SETTLED, 1_715_400_004_000, "12", 14)]

    def find_home(self, trace_id: str, reach: Reach) -> TraceKey | None:
        homes = (key for key in self.documents if key.trace_id == trace_id)
        return next((key for key in homes if reach.covers(key.project)), None)

    def read_otlp(
        self, key: TraceKey, span_id: str = "", after: str = "", limit: int = 2**31
    ) -> bytes:
        sent = {span.span_id.hex(): span for span in self.sent.get(key, ())}
        wanted = [i for i in sorted(sent) if i > after and span_id in ("", i)][:limit]
        return message_of([sent[i] for i in wanted]).SerializeToString() if wanted else b""

    def list(
        self,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: Cursor | None = None,
        _question: Question = ANY_RUN,
    ) -> Sequence[ListedRun]:
        self.asked.append((reach, where))
        if self.error:
            raise self.error
        newest = sorted(self.summaries, key=lambda s: s.cursor, reverse=True)
        behind = [s for s in newest if after is None or s.cursor < after]
        return behind[:limit]

    def numbers(self, reach: Reach, where: Condition | None, asked: Numbers) -> Sequence[Group]:
        self.asked.append((reach, where))
        if self.error:
            raise self.error
        start = 5 * 10**9 if asked.interval_ns else None
        group = Group(["planner"] * len(asked.by), start, [2] * len(asked.metrics))
        return [group] * min(asked.top, 3)

    def steps(
        self,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: StepCursor | None = None,
        _asked: StepsAsked = ANY_STEP,
    ) -> Sequence[ListedStep]:
        self.asked.append((reach, where))
        if self.error:
            raise self.error
        behind = [row for row in self.rows if after is None or row.row.position > after.position]
        return behind[:limit]

    def conversation(
        self,
        conversation_id: str,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: Cursor | None = None,
    ) -> Sequence[ListedRun]:
        self.asked.append((reach, where))
        if self.error:
            raise self.error
        lines = [s for s in self.summaries if s.conversation_id == conversation_id]
        own = [s for s in lines if reach.covers(s.key.project)]
        own.sort(key=lambda s: s.cursor)
        return [s for s in own if after is None or s.cursor > after][:limit]

    def conversations(
        self, reach: Reach, where: Condition | None, limit: int, after: Cursor | None = None
    ) -> Sequence[ConversationSummary]:
        self.asked.append((reach, where))
        if self.error:
            raise self.error
        newest = sorted(self.talks, key=lambda talk: talk.cursor, reverse=True)
        return [talk for talk in newest if after is None or talk.cursor < after][:limit]

    def announced(
        self, reach: Reach, where: Condition | None, _after: Position | None, _limit: int
    ) -> FeedPage:
        self.asked.append((reach, where))
        if self.error:
            raise self.error
        return FeedPage((), Position(1_715_400_004_600_000))

    def deleted_among(self, _keys: Sequence[TraceKey]) -> AbstractSet[TraceKey]:
        return frozenset()

    def asked_among(
        self, keys: Sequence[TraceKey], _reach: Reach, _where: Condition
    ) -> AbstractSet[TraceKey]:
        return frozenset(keys)

    def search(
        self, reach: Reach, wanted: TextSearch, limit: int, after: HitCursor | None = None
    ) -> Sequence[TextHit]:
        self.searched.append((reach, wanted))
        if self.error:
            raise self.error
        return [hit for hit in self.hits if after is None or hit.cursor < after][:limit]

    def continuation(self, key: TraceKey) -> Continuation:
        return self.continuations.get(key, NO_CONTINUATION)

    def unfinished_replays(self, _reach: Reach) -> Sequence[Replay]:
        if self.error:
            raise self.error
        return [replay for replay in self.recorded.values() if not replay.is_finished]

    def count_traces(self, _selection: Selection) -> int:
        return 12

    def record_replay(self, replay: Replay) -> None:
        self.recorded[replay.id] = replay

    def replay(self, replay_id: str, _reach: Reach) -> Replay | None:
        return self.recorded.get(replay_id)

    def replays(self, reach: Reach, limit: int, after: str | None = None) -> Sequence[Replay]:
        found = [r for r in self.recorded.values() if reach.includes(r.selection.reach)]
        found.sort(key=lambda r: r.id, reverse=True)
        return [r for r in found if after is None or r.id < after][:limit]

    def extent_of(self, scope: DeletionScope, _until_seq: int) -> Extent:
        if self.error:
            raise self.error
        return Extent(3, 40) if scope.reach == Reach.only("default") else Extent(0, 0)

    def delete(self, deletion: Deletion) -> Deletion:
        traces, spans = self.extent_of(deletion.scope, deletion.until_seq)
        self.deleted.insert(0, replace(deletion, traces=traces, spans=spans))
        return self.deleted[0]

    def deletions(self, limit: int) -> Sequence[Deletion]:
        return self.deleted[:limit]

    def take_snapshot(self) -> int:
        if self.error:
            raise self.error
        return 15

    def _on_shelf(self, shelf: dict[TraceKey, bytes], trace_id: str, reach: Reach) -> bytes | None:
        if self.error:
            raise self.error
        found = [v for k, v in shelf.items() if k.trace_id == trace_id and reach.covers(k.project)]
        return found[-1] if found else None


def replay(replay_id: str, project: str = "done", *, is_finished: bool = False) -> Replay:
    selection = Selection(Reach.only(project))
    return Replay(replay_id, selection, 9, done=9, is_finished=is_finished)


def summary(number: int, project: str = "default", conversation_id: str = "") -> ListedRun:
    start_ns = 1_715_400_000_000_000_000 + number // 2  # two of each start: ties are tested
    key = TraceKey(project, f"{number:032x}")
    return listed_run(key, start_ns, 2_000_000, conversation_id=conversation_id or None)


def talk(number: int, project: str = "default") -> ConversationSummary:
    start_ns = 1_715_400_000_000_000_000 + number // 2
    return ConversationSummary(
        project=project,
        conversation_id=f"talk {number}",
        cursor=Cursor(start_ns, f"{number:032x}", project),
        runs=2,
        start_ns=1_715_400_000_000_000_000,
        question="Where to?",
        answer="Oslo",
        user_id="",
        input_tokens=20,
        output_tokens=10,
        last_trace_id=f"{number:032x}",
        last_start_ns=start_ns,
        last_duration_ns=2_000_000,
        last_status=Status.SETTLED,
        last_outcome=Outcome.PAUSED,
    )


@pytest.fixture
def store() -> ShelfStore:
    return ShelfStore(
        documents={TraceKey("default", TRACE): b'{"id": "as stored"}'},
        spans={TraceKey("default", TRACE): b'[{"span_id": "s"}]'},
        summaries=[summary(number) for number in range(7)],
        recorded={
            REPLAY: Replay(REPLAY, Selection(Reach.only("done")), 9, done=9, is_finished=True)
        },
    )


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def reasons() -> list[str]:
    return []


@pytest.fixture
def troubles() -> list[str]:
    return []


@pytest.fixture
def locks() -> Locks:
    return Locks()


@pytest.fixture
def client(
    store: ShelfStore, metrics: Metrics, reasons: list[str], troubles: list[str], locks: Locks
) -> Iterator[TestClient]:
    app = create_app(
        cast("ReadingStore", store),
        metrics,
        lambda: reasons,
        locks.access,
        hosts=["spanloom.example"],
        extractor_version="7",
        troubles=lambda: troubles,
    )
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        yield client
