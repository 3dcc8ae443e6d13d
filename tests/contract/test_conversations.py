"""The list of conversations, in every store."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.filters import filtered
from tests.support.listed_runs import listed_conversation, listed_run
from tests.support.otlp_requests import START_NS
from tests.support.paging import read_pages
from tests.support.trajectory_lists import trace
from tests.support.trajectory_records import make_record, make_trajectory, next_version

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import DuplicateOf, Pause, Status
from spanloom.storage.runs import conversations

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.store import Store
    from spanloom.core.query.lists import ListedConversation
    from spanloom.core.query.where.tree import Condition

EVERY = None
RUNS = 36
"""Runs of each project, in seven conversations or in none."""


def turn(
    key: TraceKey, at: int, talk: str, said: tuple[str, str] = ("q", "a"), /, **told: object
) -> Trajectory:
    run = make_trajectory(key, START_NS + at)
    root = run.root._replace(input=said[0], output=said[1])
    return replace(run, root=root, extras={"conversation_id": talk, **told})


def write(store: Store, *turns: Trajectory, status: Status = Status.SETTLED) -> None:
    keys = [TraceKey(t.project, t.trace_id) for t in turns]
    heads = store.trajectories.heads(keys)
    store.trajectories.write(
        [
            make_record(
                k, t, version=next_version(heads.get(k)), status=status, previous=heads.get(k)
            )
            for k, t in zip(keys, turns, strict=True)
        ]
    )


def talks(
    store: Store, reach: Reach, where: Condition | None = EVERY, page: int = 100
) -> list[ListedConversation]:
    return list(
        read_pages(lambda limit, after: store.conversations.list(reach, where, limit, after), page)
    )


def test_a_conversation_is_told_whole(store: Store, key: TraceKey) -> None:
    keys = [TraceKey(key.project, trace(n)) for n in (1, 2, 3, 4, 5)]
    waiting = replace(
        turn(keys[2], 30, "trip", ("Book it", "")),  # has no user: the previous run has
        pauses=[Pause("2" * 16, "2" * 16, "Pay?")],
    )
    first = turn(keys[0], 10, "trip", ("Where to?", "Oslo"), user_id="bo", cost={"usd": 0.25})
    write(store, first, turn(keys[1], 20, "trip", user_id="ada"))
    write(store, waiting, status=Status.LIVE)
    again = replace(turn(keys[3], 40, "trip"), duplicate_of=DuplicateOf(keys[2].trace_id, "1"))
    made = replace(turn(keys[4], 50, "trip"), step_counts={"other": 1})
    write(store, again, made)
    last = listed_run(
        keys[2],
        START_NS + 30,
        1000,
        conversation_id="trip",
        status="live",
        outcome="paused",
    )
    sums: dict[str, Any] = {"runs": 3, "input_tokens": 30, "output_tokens": 15, "cost": 0.25}
    asked: dict[str, Any] = {"question": "Where to?", "user_id": "ada"}
    started_at = (START_NS + 10) // 1_000_000
    assert talks(store, Reach.only(key.project)) == [
        listed_conversation(last, started_at=started_at, **sums, **asked)
    ]


@pytest.mark.parametrize("page", [1, 4])
def test_pages_neither_repeat_nor_miss(
    store: Store, new_project: Callable[[], str], page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Conversations overlap in time, some runs have none, and each run has moved in the list."""
    monkeypatch.setattr(conversations, "KEYS_AT_ONCE", 7)  # long ones are read in parts
    project, other, random = new_project(), new_project(), Random(page)
    names = [f"talk {n}" for n in range(7)] + [""]
    said = [random.choice(names) for _ in range(RUNS)]
    keys = [TraceKey(p, trace(n)) for p in (project, other) for n in range(1, RUNS + 1)]
    for later in (500, 0):
        write(store, *[turn(k, n % RUNS + later, said[n % RUNS]) for n, k in enumerate(keys)])
    newest = {name: n for n, name in enumerate(said) if name}
    expected = sorted(newest, key=newest.__getitem__, reverse=True)
    found = talks(store, Reach.only(project), page=page)
    assert [talk.item.conversation_id for talk in found] == expected
    assert [talk.item.runs for talk in found] == [said.count(name) for name in expected]
    both = talks(store, Reach.only(project, other), page=page)
    assert [(t.item.project, t.item.conversation_id) for t in both] == [
        (p, name) for name in expected for p in sorted((project, other), reverse=True)
    ]


def test_filters_choose_conversations_by_their_runs(store: Store, key: TraceKey) -> None:
    keys = [TraceKey(key.project, trace(n)) for n in range(1, 6)]
    ada: dict[str, Any] = {"user_id": "ada", "services": ["travel"], "environment": "production"}
    write(
        store,
        turn(keys[0], 10, "old", **ada),
        turn(keys[1], 20, "both", **ada),
        turn(keys[2], 30, "both", user_id="bob"),
        turn(keys[3], 40, "new", user_id="bob"),
        turn(keys[4], 50, "old", user_id="bob"),
    )
    reach = Reach.only(key.project)

    def found(where: Condition | None) -> list[tuple[str, int]]:
        return [
            (talk.item.conversation_id, talk.item.runs) for talk in talks(store, reach, where, 1)
        ]

    assert found(EVERY) == [("old", 2), ("new", 1), ("both", 2)]
    for where in (
        filtered(user="ada"),
        filtered(service="travel"),
        filtered(environment="production"),
    ):
        assert found(where) == [("both", 2), ("old", 2)]  # ordered by the newest run that passes
    assert found(filtered(since=START_NS + 35)) == [("old", 2), ("new", 1)]
    assert found(filtered(until=START_NS + 15)) == [("old", 2)]
    assert found(filtered(user="ada", since=START_NS + 15)) == [("both", 2)]
    assert found(filtered(user="nobody")) == []


def test_a_run_counts_where_it_is_now(store: Store, key: TraceKey) -> None:
    first, moved = (TraceKey(key.project, trace(n)) for n in (1, 2))
    write(store, turn(first, 10, "a"), turn(moved, 20, "a"))
    write(store, turn(moved, 20, "b"))
    found = talks(store, Reach.only(key.project))
    assert [(talk.item.conversation_id, talk.item.runs) for talk in found] == [("b", 1), ("a", 1)]
    write(store, turn(moved, 20, ""))
    found = talks(store, Reach.only(key.project))
    assert [(talk.item.conversation_id, talk.item.runs) for talk in found] == [("a", 1)]
