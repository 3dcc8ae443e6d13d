"""Continuations: every store finds, at query time, which run resumes which paused run."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from tests.support.otlp_requests import START_NS
from tests.support.trajectory_lists import trace
from tests.support.trajectory_records import make_record, make_trajectory, next_version

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.step import StepError
from spanloom.core.model.trajectory import DuplicateOf, Failure, Outcome, Pause
from spanloom.core.query.continuations import NO_CONTINUATION, Continuation
from spanloom.storage.runs.current import NEAR

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.store import Store

PAUSE = Pause(f"{2:016x}", f"{2:016x}", "Wire 500 EUR?")


def turn(
    key: TraceKey, at: int, says: str = "", talk: str = "talk", original: str = ""
) -> Trajectory:
    """Return a run that starts at ``at``; ``says`` has "<" if it resumes, ">" if it pauses."""
    return replace(
        make_trajectory(key, START_NS + at),
        extras={"conversation_id": talk},
        is_resuming="<" in says,
        pauses=[PAUSE] if ">" in says else [],
        duplicate_of=DuplicateOf(original, "1" * 16) if original else None,
    )


def write(store: Store, *turns: Trajectory) -> None:
    keys = [TraceKey(t.project, t.trace_id) for t in turns]
    heads = store.trajectories.heads(keys)
    records = [
        make_record(k, t, version=next_version(heads.get(k)), previous=heads.get(k))
        for k, t in zip(keys, turns, strict=True)
    ]
    store.trajectories.write(records)


def told(store: Store, project: str) -> Mapping[int, tuple[int, int]]:
    """Return (resumes, resumed by) per run number; assert that lists and single reads agree."""
    reach = Reach.only(project)
    lines = store.runs.list(reach, None, 1000)
    for line in lines:
        assert store.runs.continuation(line.key) == line.continuation
        talk = store.runs.conversation(line.conversation_id, reach, None, 1000)
        if line.conversation_id:
            assert line in talk
    return {
        int(line.key.trace_id, 16): _numbers(line.continuation)
        for line in lines
        if line.continuation != NO_CONTINUATION
    }


def _numbers(found: Continuation) -> tuple[int, int]:
    resumes, resumed_by = (int(trace_id or "0", 16) for trace_id in found)
    return resumes, resumed_by


def numbered(project: str, *says: str) -> list[Trajectory]:
    """Return consecutive runs, numbered from 1, one for each ``says``."""
    keys = [TraceKey(project, trace(n)) for n in range(1, len(says) + 1)]
    return [turn(key, n, said) for n, (key, said) in enumerate(zip(keys, says, strict=True))]


@pytest.mark.parametrize(
    ("says", "found"),
    [
        ([">", "<"], {1: (0, 2), 2: (1, 0)}),
        ([">", "<>", "<", "<"], {1: (0, 2), 2: (1, 3), 3: (2, 0)}),  # two pauses
        ([">", "", "<"], {}),  # an unrelated run in between
        (["", "<"], {}),
        ([">", ">"], {}),
        (["<"], {}),
    ],
)
def test_an_answer_goes_on_with_the_run_just_before_it(
    store: Store, key: TraceKey, says: Sequence[str], found: Mapping[int, tuple[int, int]]
) -> None:
    write(store, *numbered(key.project, *says))
    assert told(store, key.project) == found


def test_in_whatever_order_runs_are_stored(store: Store, new_project: Callable[[], str]) -> None:
    for order in permutations(range(3)):
        project = new_project()
        turns = numbered(project, ">", "<>", "<")
        for n in order:
            write(store, turns[n])
        assert told(store, project) == {1: (0, 2), 2: (1, 3), 3: (2, 0)}


def test_a_failure_besides_makes_it_wait_no_less(store: Store, key: TraceKey) -> None:
    waiting, answered = numbered(key.project, ">", "<")
    waiting.failures = [Failure("2" * 16, "2" * 16, StepError(-1, "x"), recovered=False)]
    assert waiting.outcome is Outcome.FAILED
    write(store, waiting, answered)
    assert told(store, key.project) == {1: (0, 2), 2: (1, 0)}


def test_runs_of_other_conversations_and_projects_come_between_no_two(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    first, last = (TraceKey(key.project, trace(n)) for n in (1, 2))
    other = TraceKey(new_project(), trace(3))
    beside = TraceKey(key.project, trace(4))
    write(store, turn(first, 0, ">"), turn(last, 9, "<"))
    write(store, turn(other, 5, ">"), turn(beside, 6, ">", "another talk"))
    assert told(store, key.project) == {1: (0, 2), 2: (1, 0)}
    assert told(store, other.project) == {}
    nowhere = [turn(TraceKey(other.project, trace(n)), n, s, "") for n, s in ((7, ">"), (8, "<"))]
    write(store, *nowhere)
    assert told(store, other.project) == {}


def test_repeats_and_traces_without_a_step_come_between_no_two(store: Store, key: TraceKey) -> None:
    keys = [TraceKey(key.project, trace(n)) for n in range(1, 6)]
    made = replace(turn(keys[2], 2), step_counts={"other": 1})  # a created agent, no step
    write(
        store,
        turn(keys[0], 0, ">"),
        turn(keys[1], 1, ">", original=keys[0].trace_id),
        made,
        turn(keys[3], 3, "<", original=keys[4].trace_id),
        turn(keys[4], 4, "<"),
    )
    assert told(store, key.project) == {1: (0, 5), 5: (1, 0)}


def test_runs_go_on_with_what_they_are_now(store: Store, key: TraceKey) -> None:
    """Continuations follow new versions: a run in between moves, and the first did not pause."""
    first, between, last = (TraceKey(key.project, trace(n)) for n in (1, 2, 3))
    write(store, turn(first, 0, ">"), turn(between, 5), turn(last, 9, "<"))
    assert told(store, key.project) == {}
    write(store, turn(between, 20))
    assert told(store, key.project) == {1: (0, 3), 3: (1, 0)}
    write(store, turn(first, 0))
    assert told(store, key.project) == {}


def test_a_page_of_a_long_conversation_knows_its_neighbours(store: Store, key: TraceKey) -> None:
    count = 2 * NEAR + 60
    write(store, *numbered(key.project, *["<>"] * count))
    reach, where = Reach.only(key.project), None
    everything = store.runs.list(reach, where, count)
    for line in everything:
        n = int(line.key.trace_id, 16)
        after = n + 1 if n < count else 0
        assert _numbers(line.continuation) == (n - 1, after)
    middle = store.runs.list(reach, where, 5, after=everything[NEAR + 20].cursor)
    assert middle == everything[NEAR + 21 : NEAR + 26]


def test_old_places_of_a_run_hide_no_neighbour(store: Store, key: TraceKey) -> None:
    """Each run was first stored under a later start, because its root had not arrived yet."""
    turns = numbered(key.project, *[">", "<"] * 8)
    for later in (900, 0):
        write(store, *[_begun(t, later) for t in turns])
    found = told(store, key.project)
    assert found == {n: (0, n + 1) if n % 2 else (n - 1, 0) for n in range(1, len(turns) + 1)}


def _begun(run: Trajectory, later_ns: int) -> Trajectory:
    return replace(run, root=run.root._replace(start_ns=run.root.start_ns + later_ns))
