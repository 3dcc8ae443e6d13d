"""Lists of trajectories in every store: pages, filters and conversations."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import replace
from typing import TYPE_CHECKING

import orjson
import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.filters import filtered
from tests.support.generated_runs import generate_records
from tests.support.otlp_requests import START_NS
from tests.support.paging import read_pages
from tests.support.trajectory_lists import listed, trace
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.api.app import create_app
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import DuplicateOf, Outcome, Status
from spanloom.core.query.selection import RunSelection
from spanloom.core.query.where.parser import parse_where
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.store import Store
    from spanloom.core.query.where.tree import Condition


def test_a_list_is_newest_first_and_pages_neither_repeat_nor_miss(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    other = new_project()
    wanted = [(n // 3, trace(n)) for n in range(1, 31)]  # three runs per start time
    for project in (key.project, other):
        store.trajectories.write(
            [
                make_record(k, make_trajectory(k, START_NS + offset))
                for offset, t in wanted
                for k in [TraceKey(project, t)]
            ]
        )
    expected = sorted(wanted, reverse=True)
    for page in (1, 4, 7, 30, 100):
        assert listed(store, key.project, None, page) == expected
    both = filtered(since=START_NS, until=START_NS + 5, agent="planner")
    lines = [
        x for x in store.runs.list(Reach.ALL, both, 1000) if x.key.project in {key.project, other}
    ]
    order = [(x.start_ns, x.key.trace_id, x.key.project) for x in lines]
    assert order == sorted(order, reverse=True)
    assert len(order) == 2 * len([o for o, _ in wanted if o < 5])


def test_pages_stay_whole_among_many_old_versions(store: Store, key: TraceKey) -> None:
    keys = [TraceKey(key.project, trace(n)) for n in range(1, 41)]
    for version in range(1, 6):
        heads = store.trajectories.heads(keys)
        store.trajectories.write(
            [
                make_record(
                    k,
                    make_trajectory(k, START_NS + 100 * n - version),
                    version=version,
                    status=Status.LIVE if version < 5 and n % 2 else Status.SETTLED,
                    previous=heads.get(k),
                )
                for n, k in enumerate(keys)
            ]
        )
    assert len(listed(store, key.project, None, 3)) == 40
    assert listed(store, key.project, filtered(status=Status.LIVE), 3) == []


TOLD = {
    "models": ["gpt-4o", "gpt-5"],
    "services": ["travel"],
    "environment": "production",
    "release": "1.4.0",
    "user_id": "ada",
    "tags": ["beta", "new"],
}


def test_what_a_run_was_about_and_what_its_sender_tells(store: Store, key: TraceKey) -> None:
    asked = '[{"role":"user","content":"Where\\n is\\u00a0it?"}]'
    about = make_trajectory(key)
    about.root = about.root._replace(input=asked, output="x" * 999)
    about.extras = TOLD
    other = TraceKey(key.project, trace(9))
    store.trajectories.write([make_record(key, about), make_record(other)])
    (line,) = store.runs.list(Reach.only(key.project), filtered(user="ada"), 9)
    assert (line.run.question, line.run.answer) == ("Where is it?", "x" * 199 + "…")
    told = {name: getattr(line.run, name) for name in TOLD}
    assert told == TOLD


@pytest.mark.parametrize(
    "where",
    [
        filtered(model="gpt-5"),
        filtered(service="travel"),
        filtered(environment="production"),
        filtered(release="1.4.0"),
        filtered(user="ada"),
        filtered(tag="new"),
    ],
)
def test_runs_are_found_by_what_their_sender_tells(
    where: Condition | None, store: Store, key: TraceKey
) -> None:
    told = make_trajectory(key)
    told.extras = TOLD
    other = TraceKey(key.project, trace(9))
    store.trajectories.write([make_record(key, told), make_record(other)])
    assert listed(store, key.project, where) == [(0, key.trace_id)]


def test_filters_hold_for_the_current_version(store: Store, key: TraceKey) -> None:
    failed = make_trajectory(key, steps=[model_step(2, error="x")])
    store.trajectories.write([make_record(key, failed, status=Status.LIVE)])
    where = filtered(has_error=True)
    assert listed(store, key.project, where)
    store.trajectories.write(
        [make_record(key, version=2, previous=store.trajectories.heads([key])[key])]
    )
    assert listed(store, key.project, where) == []
    assert listed(store, key.project, filtered(has_error=False)) == [(0, key.trace_id)]


ORIGINAL = DuplicateOf("f" * 32, "a" * 16)


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ({"status": Status.LIVE}, [1]),
        ({"status": Status.FAILED}, []),
        ({"root_name": "weather"}, [2]),
        ({"root_name": "' OR 1=1 --"}, []),
        ({"has_error": True}, [3]),
        ({"has_error": False}, [4, 2, 1]),
        ({"outcome": Outcome.RECOVERED}, [4]),
        ({"outcome": Outcome.OK}, [2, 1]),
        ({"duplicate": True}, [2]),
        ({"duplicate": False}, [4, 3, 1]),
        ({"has_steps": False}, [1]),
        ({"has_steps": True}, [4, 3, 2]),
        ({"agent": "planner"}, [4, 3, 1]),
        ({"agent": "plan"}, []),
        ({"since": 2**63}, []),
        ({"since": START_NS + 2}, [4, 3, 2]),
        ({"until": START_NS + 2}, [1]),
        ({"since": START_NS + 2, "until": START_NS + 3}, [2]),
        ({"has_error": False, "agent": "planner"}, [4, 1]),
    ],
)
def test_filters(store: Store, key: TraceKey, where: dict[str, object], found: list[int]) -> None:
    keys = [TraceKey(key.project, trace(n)) for n in (1, 2, 3, 4)]
    errors = [model_step(2, error="x")]
    store.trajectories.write(
        [
            make_record(
                keys[0],
                replace(make_trajectory(keys[0], START_NS + 1), step_counts={"other": 4}),
                status=Status.LIVE,
            ),
            make_record(
                keys[1],
                make_trajectory(keys[1], START_NS + 2, agent="weather", duplicate_of=ORIGINAL),
            ),
            make_record(keys[2], make_trajectory(keys[2], START_NS + 3, steps=errors)),
            make_record(
                keys[3], make_trajectory(keys[3], START_NS + 4, steps=errors, recovered=True)
            ),
        ]
    )
    filters = filtered(**where)
    assert listed(store, key.project, filters) == [(n, trace(n)) for n in found]


def conversation(store: Store, reach: Reach, name: str, page: int = 100) -> list[int]:
    """Return the trace numbers of a conversation, read page by page."""
    lines = list(
        read_pages(
            lambda limit, after: store.runs.conversation(name, reach, None, limit, after),
            page,
        )
    )
    assert {line.conversation_id for line in lines} <= {name}
    return [int(line.key.trace_id, 16) for line in lines]


def talking(key: TraceKey, name: str, start_ns: int = START_NS) -> Trajectory:
    return replace(make_trajectory(key, start_ns), extras={"conversation_id": name})


def test_a_conversation_is_oldest_first_and_pages_neither_repeat_nor_miss(
    store: Store, key: TraceKey
) -> None:
    name = f"{key.project} ' OR 1=1 --"
    keys = [TraceKey(key.project, trace(n)) for n in range(1, 31)]
    names = [name if n % 3 else "" for n in range(30)]
    store.trajectories.write(
        [
            make_record(k, talking(k, said, START_NS - n // 4))
            for n, (k, said) in enumerate(zip(keys, names, strict=True))
        ]
    )
    placed = [(START_NS - n // 4, n + 1) for n, said in enumerate(names) if said]
    for page in (1, 3, 7, 20, 100):
        assert conversation(store, Reach.only(key.project), name, page) == [
            n for _, n in sorted(placed)
        ]
    assert conversation(store, Reach.only(key.project), key.project) == []
    assert conversation(store, Reach.only(key.project), "") == []


def test_a_conversation_has_the_current_versions_of_its_project(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    other = TraceKey(new_project(), trace(9))
    keys = [TraceKey(key.project, trace(n)) for n in (1, 2, 3)]
    name = key.project
    store.trajectories.write([make_record(k, talking(k, name)) for k in (*keys, other)])
    heads = store.trajectories.heads(keys)
    moved = {keys[0]: talking(keys[0], name, START_NS + 9), keys[1]: talking(keys[1], "else")}
    store.trajectories.write(
        [make_record(k, t, version=2, previous=heads[k]) for k, t in moved.items()]
    )
    assert conversation(store, Reach.only(key.project), name, 1) == [3, 1]
    assert conversation(store, Reach.only(other.project), name) == [9]
    assert conversation(store, Reach.ALL, name) == [3, 9, 1]
    assert conversation(store, Reach.ALL, "else") != []
    where = filtered(conversation=name)
    assert listed(store, key.project, where, 1) == [(9, trace(1)), (0, trace(3))]


def test_runs_that_are_asked_for_are_told_among_some(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    asked = parse_where("has(tool exists then error) or steps > 6", now_ns=0)
    records = generate_records(20, key.project)
    store.trajectories.write([*records, *generate_records(3, new_project())])
    keys, reach = [record.key for record in records], Reach.only(key.project)
    lines = store.runs.list(reach, None, 100, None, RunSelection(asked))
    wanted = {line.key for line in lines}
    assert 0 < len(wanted) < 20
    assert store.runs.matching_among(keys, reach, asked) == wanted
    assert store.runs.matching_among(keys[:9], reach, asked) == wanted.intersection(keys[:9])
    unknown = [TraceKey(key.project, trace(999))]
    assert not store.runs.matching_among(unknown, reach, asked)
    assert not store.runs.matching_among(keys, Reach.only("another"), asked)
    one = min(wanted)
    trajectory = make_trajectory(one, START_NS)
    store.trajectories.write(
        [make_record(one, trajectory, version=9, previous=store.trajectories.heads([one])[one])]
    )
    assert store.runs.matching_among(keys, reach, asked) == wanted - {one}  # now it differs


RANKS: tuple[object, ...] = (
    [],
    [1],
    [0.5],
    [1, 2],
    [1, 0.5],
    [1, 2, 3],
    [True],
    [1, 10**30],
    ["1"],
    [None],
    7,
)


@pytest.mark.parametrize("order", ["-start", "-duration", "cost"])
def test_a_position_that_somebody_made_up_is_refused_or_is_one(
    store: Store, key: TraceKey, order: str
) -> None:
    store.trajectories.write(generate_records(3, key.project))
    asked = {"project": key.project, "order": order, "limit": "1"}
    with TestClient(create_app(store, Metrics(), Locks().access)) as client:
        path, host = "/v1/trajectories", {"host": "localhost"}
        cursor = client.get(path, params=asked, headers=host).json()["next_cursor"]
        *place, rank = orjson.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        for made_up in (*RANKS, rank):
            body = json.dumps([*place, made_up]).encode()  # orjson cannot write so many digits
            forged = urlsafe_b64encode(body).decode().rstrip("=")
            answer = client.get(path, params={**asked, "cursor": forged}, headers=host)
            assert answer.status_code in {200, 422}, (made_up, answer.text)
    assert answer.status_code == 200
