"""Fixtures: a running API, a terminal whose output can be read, and a run of several agents."""

from __future__ import annotations

import io
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import orjson
import pytest
from click.testing import CliRunner
from rich.console import Console
from tests.support.access import open_access
from tests.support.listed_runs import changed, listed_conversation, listed_run
from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import message_of, wire_span

from spanloom.api.app import create_app
from spanloom.core.formats.schema import canonical_example
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Outcome
from spanloom.core.query.selection import ANY_RUN
from spanloom.metrics import Metrics
from spanloom.process.serving import HttpServer, bind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.query.lists import Cursor, ListedConversation, ListedRun
    from spanloom.core.query.selection import RunSelection
    from spanloom.core.query.where.tree import Condition

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPANS: list[dict[str, Any]] = [
    {
        "span_id": "00f067aa0ba902b7",
        "parent_span_id": None,
        "name": "travel_planner",
        "kind": "agent",
        "step_id": "00f067aa0ba902b7",
        "dialect": "openinference",
        "rule": "agent.by-name",
    },
    {
        "span_id": "00f067aa0ba902b8",
        "parent_span_id": "00f067aa0ba902b7",
        "name": "RunnableSequence",
        "kind": "other",
        "step_id": None,
        "dialect": "openinference",
        "rule": "chain",
    },
]


SENT_ID = f"{7:016x}"
SENT = message_of(
    [wire_span(TRACE, 7, name="weather", attributes={"city": "Oslo", "days": 3, "wide": "x" * 900})]
).SerializeToString()


class OneTrajectory:
    """A store with one document, listed as often as a test wants."""

    def __init__(self) -> None:
        self.listed = 1
        self.version = 1
        self.asked: list[tuple[Reach, Condition | None]] = []

    def get(self, trace_id: str, _reach: Reach) -> bytes | None:
        return orjson.dumps(canonical_example()) if trace_id == TRACE else None

    def spans(self, trace_id: str, _reach: Reach) -> bytes | None:
        return orjson.dumps(SPANS) if trace_id == TRACE else None

    def current(self, key: TraceKey) -> int:
        return self.version if key.trace_id == TRACE else 0

    def find_home(self, trace_id: str, _reach: Reach) -> TraceKey | None:
        return TraceKey("default", trace_id) if trace_id == TRACE else None

    def parts_shown(self, _key: TraceKey) -> Sequence[TraceKey]:
        return ()

    def read_otlp(
        self, _key: TraceKey, span_id: str = "", after: str = "", limit: int = 9
    ) -> bytes:
        return SENT if span_id in ("", SENT_ID) and after < SENT_ID and limit else b""

    def list(
        self,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: Cursor | None = None,
        _query: RunSelection = ANY_RUN,
    ) -> Sequence[ListedRun]:
        self.asked.append((reach, where))
        newest = self.listed if after is None else after.start_ns
        return [self._summary(at) for at in range(newest - 1, -1, -1)][:limit]

    def conversation(
        self,
        conversation_id: str,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: Cursor | None = None,
    ) -> Sequence[ListedRun]:
        self.asked.append((reach, where))
        newest_first = self.list(reach, where, limit, after)
        return newest_first[::-1] if conversation_id == "trip" else []

    def list_conversations(
        self, reach: Reach, where: Condition | None, limit: int, after: Cursor | None = None
    ) -> Sequence[ListedConversation]:
        runs = self.list(reach, where, limit, after)
        return [self._conversation(run) for run in runs]

    def _conversation(self, run: ListedRun) -> ListedConversation:
        last = changed(
            run,
            trace_id=TRACE,
            conversation_id=f"talk {run.start_ns}",
            outcome=Outcome.PAUSED,
            duration=4_500,
            question="Where to?",
            answer="",
            user_id="ada",
        )
        sums = {"runs": 3, "input_tokens": 3300, "output_tokens": 520}
        return listed_conversation(last, run.cursor, started_at=0, user_id="ada", **sums)

    def _summary(self, start_ns: int) -> ListedRun:
        return listed_run(
            TraceKey("default", TRACE),
            start_ns,
            4_500_000_000,
            version=self.version,
            root_name="travel_planner",
            root_type="agent",
            outcome="failed",
            failures=1,
            agent_names=["planner", "planner", "critic", "editor"],
            step_counts={"model": 3, "tool": 1},
            span_count=14,
            input_tokens=1650,
            output_tokens=260,
            dialects=[],
        )


def store_of(one: OneTrajectory) -> ReadingStore:
    """Return a store in which every part that reads runs is the one given."""
    store: Any = MemoryStore()
    store.spans = store.documents = store.versions = store.runs = one
    store.conversations = SimpleNamespace(list=one.list_conversations)
    return cast("ReadingStore", store)


@pytest.fixture
def store() -> OneTrajectory:
    return OneTrajectory()


@pytest.fixture
def api_url(store: OneTrajectory) -> Iterator[str]:
    app = create_app(store_of(store), Metrics(), open_access())
    server = HttpServer(app, bind("127.0.0.1", 0, "--api-port"), "api")
    server.start()
    yield f"http://127.0.0.1:{server.port}"
    server.stop(grace_s=1)


@pytest.fixture
def runner(api_url: str) -> CliRunner:
    return CliRunner(env={"SPANLOOM_API_URL": api_url, "COLUMNS": None})


@pytest.fixture
def example() -> dict[str, Any]:
    """A copy of the published example, which a test may change."""
    copy: dict[str, Any] = orjson.loads(orjson.dumps(canonical_example()))
    return copy


class Screen:
    """A terminal with the given number of columns, whose output can be read."""

    def __init__(self, columns: int = 100, encoding: str = "utf-8", colour: bool = False) -> None:
        self._raw = io.BytesIO()
        text = io.TextIOWrapper(self._raw, encoding=encoding, write_through=True)
        self.console = Console(
            file=text,
            width=columns,
            force_terminal=colour,
            color_system="standard" if colour else None,
            legacy_windows=False,
            no_color=not colour,
        )

    @property
    def raw(self) -> str:
        return self._raw.getvalue().decode()

    @property
    def text(self) -> str:
        """The output without colours and without blanks at the ends of lines."""
        plain = re.sub(r"\x1b\[[0-9;]*m", "", self.raw)
        return "".join(line.rstrip() + "\n" for line in plain.splitlines())


@pytest.fixture
def screen() -> Callable[..., Screen]:
    return Screen
