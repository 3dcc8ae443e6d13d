"""Fixtures: the API over a store that contains what a test puts into it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.listed_runs import listed_conversation, listed_run
from tests.support.memory_annotations import MemoryVersions
from tests.support.memory_state import MemoryState
from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import message_of

from spanloom.api.app import create_app
from spanloom.api.services import ServingProcess
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.model.upkeep import Replay, Selection
from spanloom.core.ports.feed import FeedPage
from spanloom.core.ports.reading import Documents, StoredVersion
from spanloom.core.ports.steps import ANY_STEP
from spanloom.core.ports.upkeep import Extent
from spanloom.core.query.continuations import NO_CONTINUATION, Continuation
from spanloom.core.query.positions import Position
from spanloom.core.query.selection import ANY_RUN
from spanloom.core.query.stats import Group
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

    from spanloom.core.model.upkeep import Deletion, DeletionScope
    from spanloom.core.ports.steps import ListedStep, StepCursor, StepSelection
    from spanloom.core.ports.texts import HitCursor, ListedHit, TextSearch
    from spanloom.core.query.lists import Cursor, ListedConversation, ListedRun
    from spanloom.core.query.selection import RunSelection
    from spanloom.core.query.shapes import RunShape
    from spanloom.core.query.stats import Numbers
    from spanloom.core.query.where.tree import Condition

REPLAY = "00064119b2c8d000"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@dataclass
class ShelfStore:
    """The reading half of a store, which returns the documents and summaries that a test put in."""

    stored_documents: dict[TraceKey, bytes] = field(default_factory=dict)
    stored_spans: dict[TraceKey, bytes] = field(default_factory=dict)
    rows: list[ListedStep] = field(default_factory=list)
    """The steps of one run."""
    summaries: list[ListedRun] = field(default_factory=list)
    talks: list[ListedConversation] = field(default_factory=list)
    continuations: dict[TraceKey, Continuation] = field(default_factory=dict)
    asked: list[tuple[Reach, Condition | None]] = field(default_factory=list)
    recorded: dict[str, Replay] = field(default_factory=dict)
    deleted: list[Deletion] = field(default_factory=list)
    sent: dict[TraceKey, Sequence[WireSpan]] = field(default_factory=dict)
    parts_shown: dict[TraceKey, Sequence[TraceKey]] = field(default_factory=dict)
    hits: list[ListedHit] = field(default_factory=list)
    searched: list[tuple[Reach, TextSearch]] = field(default_factory=list)
    error: Exception | None = None

    def __post_init__(self) -> None:
        memory = MemoryStore()
        self.annotations, self.schemes = memory.annotations, memory.schemes
        self.scores, self.queues = memory.scores, memory.queues
        self.saved_views = memory.saved_views
        self.usage = memory.usage
        self.datasets = memory.datasets
        self.evaluators, self.experiments = memory.evaluators, memory.experiments
        self.alerts = memory.alerts
        self.online_rules = memory.online_rules
        self.followers = memory.followers
        self.versions = ShelvedVersions(self)
        self.documents = ShelvedDocuments(self)
        self.spans = ShelvedSpans(self)
        self.runs = ShelvedRuns(self)
        self.stats = ShelvedStats(self)
        self.steps = ShelvedSteps(self)
        self.conversations = ShelvedConversations(self)
        self.feed = ShelvedFeed(self)
        self.texts = ShelvedTexts(self)
        self.replays = ShelvedReplays(self)
        self.deletions = ShelvedDeletions(self)
        self.snapshots = ShelvedSnapshots(self)


class Shelved:
    """A part of the store's interface that finds what a test has put into a ``ShelfStore``."""

    def __init__(self, shelf: ShelfStore) -> None:
        self._shelf = shelf


class ShelvedDocuments(Shelved):
    def get(self, trace_id: str, reach: Reach) -> bytes | None:
        return self._on_shelf(self._shelf.stored_documents, trace_id, reach)

    def many(
        self, keys: Sequence[TraceKey], _most_bytes: int, _most_each: int | None = None
    ) -> Sequence[bytes | None]:
        return [None for _ in keys]

    def spans(self, trace_id: str, reach: Reach) -> bytes | None:
        return self._on_shelf(self._shelf.stored_spans, trace_id, reach)

    def both(self, trace_id: str, reach: Reach) -> Documents | None:
        found = self.get(trace_id, reach)
        spans = self.spans(trace_id, reach)
        return None if found is None else Documents(found, spans or b"[]")

    def versions(self, trace_id: str, reach: Reach) -> Sequence[StoredVersion]:
        if self._shelf.spans.find_home(trace_id, reach) is None:
            return []
        return [StoredVersion(1, Status.SETTLED, 1_715_400_004_000, "12", 14)]

    def _on_shelf(self, shelf: dict[TraceKey, bytes], trace_id: str, reach: Reach) -> bytes | None:
        if self._shelf.error:
            raise self._shelf.error
        found = [v for k, v in shelf.items() if k.trace_id == trace_id and reach.covers(k.project)]
        return found[-1] if found else None


class ShelvedVersions(MemoryVersions):
    def __init__(self, shelf: ShelfStore) -> None:
        super().__init__(MemoryState())
        self._shelf = shelf

    def current(self, key: TraceKey) -> int:
        return 1 if key in self._shelf.stored_documents else 0


class ShelvedSpans(Shelved):
    def find_home(self, trace_id: str, reach: Reach) -> TraceKey | None:
        homes = (key for key in self._shelf.stored_documents if key.trace_id == trace_id)
        return next((key for key in homes if reach.covers(key.project)), None)

    def parts_shown(self, key: TraceKey) -> Sequence[TraceKey]:
        return self._shelf.parts_shown.get(key, [])

    def read_otlp(
        self, key: TraceKey, span_id: str = "", after: str = "", limit: int = 2**31
    ) -> bytes:
        sent = {span.span_id.hex(): span for span in self._shelf.sent.get(key, ())}
        wanted = [i for i in sorted(sent) if i > after and span_id in ("", i)][:limit]
        return message_of([sent[i] for i in wanted]).SerializeToString() if wanted else b""


class ShelvedRuns(Shelved):
    def list(
        self,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: Cursor | None = None,
        _query: RunSelection = ANY_RUN,
    ) -> Sequence[ListedRun]:
        self._shelf.asked.append((reach, where))
        if self._shelf.error:
            raise self._shelf.error
        newest = sorted(self._shelf.summaries, key=lambda s: s.cursor, reverse=True)
        behind = [s for s in newest if after is None or s.cursor < after]
        return behind[:limit]

    def conversation(
        self,
        conversation_id: str,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: Cursor | None = None,
    ) -> Sequence[ListedRun]:
        self._shelf.asked.append((reach, where))
        if self._shelf.error:
            raise self._shelf.error
        lines = [s for s in self._shelf.summaries if s.conversation_id == conversation_id]
        own = [s for s in lines if reach.covers(s.key.project)]
        own.sort(key=lambda s: s.cursor)
        return [s for s in own if after is None or s.cursor > after][:limit]

    def matching_each(
        self, keys: Sequence[TraceKey], reach: Reach, wheres: Sequence[Condition]
    ) -> Sequence[AbstractSet[TraceKey]]:
        return [self.matching_among(keys, reach, where) for where in wheres]

    def matching_among(
        self, keys: Sequence[TraceKey], _reach: Reach, _where: Condition
    ) -> AbstractSet[TraceKey]:
        return frozenset(keys)

    def continuation(self, key: TraceKey) -> Continuation:
        return self._shelf.continuations.get(key, NO_CONTINUATION)


class ShelvedStats(Shelved):
    def numbers(self, reach: Reach, where: Condition | None, asked: Numbers) -> Sequence[Group]:
        self._shelf.asked.append((reach, where))
        if self._shelf.error:
            raise self._shelf.error
        start = 5 * 10**9 if asked.interval else None
        group = Group(["planner"] * len(asked.by), start, [2] * len(asked.metrics))
        return [group] * min(asked.top, 3)

    def shapes(self, reach: Reach, where: Condition | None, most: int) -> Sequence[RunShape]:
        self._shelf.asked.append((reach, where))
        if self._shelf.error:
            raise self._shelf.error
        return [][:most]


class ShelvedSteps(Shelved):
    def list(
        self,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: StepCursor | None = None,
        _asked: StepSelection = ANY_STEP,
    ) -> Sequence[ListedStep]:
        self._shelf.asked.append((reach, where))
        if self._shelf.error:
            raise self._shelf.error
        behind = [
            row for row in self._shelf.rows if after is None or row.row.position > after.position
        ]
        return behind[:limit]


class ShelvedConversations(Shelved):
    def list(
        self, reach: Reach, where: Condition | None, limit: int, after: Cursor | None = None
    ) -> Sequence[ListedConversation]:
        self._shelf.asked.append((reach, where))
        if self._shelf.error:
            raise self._shelf.error
        newest = sorted(self._shelf.talks, key=lambda talk: talk.cursor, reverse=True)
        return [talk for talk in newest if after is None or talk.cursor < after][:limit]


class ShelvedFeed(Shelved):
    def announced(
        self, reach: Reach, where: Condition | None, _after: Position | None, _limit: int
    ) -> FeedPage:
        self._shelf.asked.append((reach, where))
        if self._shelf.error:
            raise self._shelf.error
        return FeedPage((), Position(1_715_400_004_600_000))

    def deleted_among(self, _keys: Sequence[TraceKey]) -> AbstractSet[TraceKey]:
        return frozenset()


class ShelvedTexts(Shelved):
    def search(
        self, reach: Reach, wanted: TextSearch, limit: int, after: HitCursor | None = None
    ) -> Sequence[ListedHit]:
        self._shelf.searched.append((reach, wanted))
        if self._shelf.error:
            raise self._shelf.error
        return [hit for hit in self._shelf.hits if after is None or hit.cursor < after][:limit]


class ShelvedReplays(Shelved):
    def unfinished(self, _reach: Reach) -> Sequence[Replay]:
        if self._shelf.error:
            raise self._shelf.error
        return [replay for replay in self._shelf.recorded.values() if not replay.is_finished]

    def count_traces(self, _selection: Selection) -> int:
        return 12

    def record(self, replay: Replay) -> None:
        self._shelf.recorded[replay.id] = replay

    def get(self, replay_id: str, _reach: Reach) -> Replay | None:
        return self._shelf.recorded.get(replay_id)

    def list(self, reach: Reach, limit: int, after: str | None = None) -> Sequence[Replay]:
        found = [r for r in self._shelf.recorded.values() if reach.includes(r.selection.reach)]
        found.sort(key=lambda r: r.id, reverse=True)
        return [r for r in found if after is None or r.id < after][:limit]


class ShelvedDeletions(Shelved):
    def now_ns(self) -> int:
        return time.time_ns()

    def extent_of(self, scope: DeletionScope, _until_seq: int) -> Extent:
        if self._shelf.error:
            raise self._shelf.error
        return Extent(3, 40) if scope.reach == Reach.only("default") else Extent(0, 0)

    def delete(self, deletion: Deletion) -> Deletion:
        traces, spans = self.extent_of(deletion.scope, deletion.until_seq)
        self._shelf.deleted.insert(0, replace(deletion, traces=traces, spans=spans))
        return self._shelf.deleted[0]

    def list(self, limit: int) -> Sequence[Deletion]:
        return self._shelf.deleted[:limit]


class ShelvedSnapshots(Shelved):
    def take(self) -> int:
        if self._shelf.error:
            raise self._shelf.error
        return 15


def replay(replay_id: str, project: str = "done", *, is_finished: bool = False) -> Replay:
    selection = Selection(Reach.only(project))
    return Replay(replay_id, selection, 9, done=9, is_finished=is_finished)


def summary(number: int, project: str = "default", conversation_id: str = "") -> ListedRun:
    start_ns = 1_715_400_000_000_000_000 + number // 2  # two runs per start, to test ties
    key = TraceKey(project, f"{number:032x}")
    return listed_run(key, start_ns, 2_000_000, conversation_id=conversation_id or None)


def talk(number: int, project: str = "default") -> ListedConversation:
    start_ns = 1_715_400_000_000_000_000 + number // 2
    last = listed_run(
        TraceKey(project, f"{number:032x}"),
        start_ns,
        2_000_000,
        outcome="paused",
        conversation_id=f"talk {number}",
    )
    asked: dict[str, Any] = {"question": "Where to?", "answer": "Oslo"}
    return listed_conversation(last, runs=2, input_tokens=20, output_tokens=10, **asked)


@pytest.fixture
def store() -> ShelfStore:
    return ShelfStore(
        stored_documents={TraceKey("default", TRACE): b'{"id": "as stored"}'},
        stored_spans={TraceKey("default", TRACE): b'[{"span_id": "s"}]'},
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
    process = ServingProcess(
        ready=lambda: reasons, troubles=lambda: troubles, extractor_version="7"
    )
    app = create_app(store, metrics, locks.access, process, hosts=["spanloom.example"])
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        yield client
