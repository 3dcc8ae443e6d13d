"""Lists give every run exactly once while runs arrive, are rewritten and move.

Merges are stopped, because a list also meets the old versions for some seconds after a write.
"""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.support.examples import examples
from tests.support.filters import filtered
from tests.support.otlp_requests import START_NS, next_seq
from tests.support.paging import read_pages
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.query.lists import read_page
from spanloom.storage.store import ClickHouseStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.ports.store import Store
    from spanloom.core.query.lists import Cursor, ListedRun

RUNS = 40
NUMBERS = st.sets(st.integers(1, RUNS), min_size=1, max_size=RUNS)
CONVERSATION = "trip"
PAGES = st.sampled_from([1, 2, 5, 9, 50])


@pytest.fixture
def unmerged(store: Store) -> Iterator[Store]:
    """Yield a store that does not merge away old versions."""
    if not isinstance(store, ClickHouseStore):
        yield store
        return
    connection = store.connections.worker
    for table in ("trajectories", "trajectory_list", "conversation_members"):
        connection.run(f"SYSTEM STOP MERGES {table}")
    yield store
    for table in ("trajectories", "trajectory_list", "conversation_members"):
        connection.run(f"SYSTEM START MERGES {table}")


class Writing(RuleBasedStateMachine):
    """A state machine that writes runs and reads a list page by page, in any interleaving."""

    store: Store

    def __init__(self) -> None:
        super().__init__()
        self.project = f"p-{secrets.token_hex(4)}"
        self.starts: dict[int, int] = {}
        self.versions: Counter[int] = Counter()
        self.begin(5)

    def begin(self, limit: int) -> None:
        self.limit = limit
        self.after: Cursor | None = None
        self.seen: list[int] = []
        self.expected = set(self.starts)

    @initialize(numbers=NUMBERS)
    def some_runs(self, numbers: set[int]) -> None:
        self.write({n: START_NS + 10 * n for n in numbers})
        self.begin(self.limit)

    @rule(numbers=NUMBERS)
    def late_spans(self, numbers: set[int]) -> None:
        """Write new runs, or another version of runs at the same start, as for a late span."""
        self.write({n: self.starts.get(n, START_NS + 10 * n) for n in numbers})

    @rule(number=st.integers(1, RUNS), by=st.integers(-200, 200))
    def moves(self, number: int, by: int) -> None:
        """Move a run to another start, as a late root does; this pass may miss or repeat it."""
        self.write({number: START_NS + 10 * number + by})
        self.expected.discard(number)

    @rule()
    def next_page(self) -> None:
        page = read_page(self.read, self.limit)
        self.seen += [int(line.key.trace_id, 16) for line in page.lines]
        if page.has_more:
            self.after = page.lines[-1].cursor
        else:
            self.check()
            self.begin(self.limit)

    @precondition(lambda self: self.after is None)
    @rule(limit=PAGES)
    def other_page_size(self, limit: int) -> None:
        self.begin(limit)

    def teardown(self) -> None:
        """Assert that in the end every list has every run, in order, for any page size."""
        own, where = Reach.only(self.project), None
        newest = [n for _, n in sorted(((s, n) for n, s in self.starts.items()), reverse=True)]
        for limit in (7, 50):
            pages = read_pages(lambda most, at: self.store.runs.list(own, where, most, at), limit)
            assert [int(line.key.trace_id, 16) for line in pages] == newest
            talk = read_pages(
                lambda most, at: self.store.runs.conversation(CONVERSATION, own, None, most, at),
                limit,
            )
            assert [int(line.key.trace_id, 16) for line in talk] == newest[::-1]

    def read(self, limit: int) -> Sequence[ListedRun]:
        where = filtered(status=Status.SETTLED)
        return self.store.runs.list(Reach.only(self.project), where, limit, self.after)

    def check(self) -> None:
        counts = Counter(self.seen)
        assert {n: counts[n] for n in self.expected} == dict.fromkeys(self.expected, 1)

    def write(self, starts: dict[int, int]) -> None:
        keys = {n: TraceKey(self.project, f"{n:032x}") for n in starts}
        heads = self.store.trajectories.heads(list(keys.values()))
        records = []
        for number, key in keys.items():
            run = make_trajectory(key, starts[number], steps=[])
            told = replace(run, extras={"conversation_id": CONVERSATION})
            self.versions[number] += 1
            version = self.versions[number]
            records.append(make_record(key, told, version=version, previous=heads.get(key)))
        self.store.trajectories.write(records)
        self.starts.update(starts)


def test_every_run_is_given_once_while_others_are_written(unmerged: Store) -> None:
    class Here(Writing):
        store = unmerged

    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=examples(24, every_day=8),
            stateful_step_count=12,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.nightly
def test_a_page_of_rewritten_runs_is_not_taken_for_the_last(unmerged: Store) -> None:
    """The newest 60 of 200 runs have four versions each, so only one row in four is a run."""
    writing = Writing()
    writing.store = unmerged
    writing.write({n: START_NS + 10 * n for n in range(1, 201)})
    for _ in range(3):
        writing.write({n: START_NS + 10 * n for n in range(141, 201)})
    writing.teardown()


def test_steps_are_those_of_the_newest_version_each_once(unmerged: Store) -> None:
    """The second version has one step less and was written twice, as after a crash."""
    key = TraceKey(f"p-{secrets.token_hex(4)}", "ab" * 16)
    first, second = (make_trajectory(key, steps=list(map(model_step, n))) for n in ([2, 3], [2]))
    seq = next_seq()
    for version, trajectory in ((1, first), (2, second), (2, second)):
        unmerged.trajectories.write([make_record(key, trajectory, seq + version, version)])
    found = unmerged.steps.list(Reach.only(key.project), None, 50)
    assert [(line.row.version, int(line.row.step_id, 16)) for line in found] == [(2, 1), (2, 2)]
    assert not unmerged.steps.list(Reach.only(key.project), None, 50, found[-1].cursor)
