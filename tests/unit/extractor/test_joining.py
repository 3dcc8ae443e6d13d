"""Traces that are parts of one run are joined over a store: one of them, the home, shows all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.extracting import T0_NS, World, key_of, sent
from tests.support.spans import chat

from spanloom.core.joining import parts
from spanloom.core.model.access import Reach
from spanloom.core.model.upkeep import DeletionScope, new_deletion
from spanloom.core.ports.annotations import ScoreQuery
from spanloom.extractor import joining

if TYPE_CHECKING:
    from collections.abc import Sequence

A, B, C, D = (f"{n:02x}" * 16 for n in (0xA1, 0xB2, 0xC3, 0xD4))
SESSION = {"session.id": "S"}
PROMPT = {**SESSION, "event.name": "x.user_prompt"}


@pytest.fixture(autouse=True)
def any_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "FRAGMENT", "")


def home_of(world: World, trace_id: str) -> str:
    found: dict[str, Any] = world.document(trace_id)["extraction"].get("duplicate_of") or {}
    return str(found.get("trace_id", trace_id))


def homes(world: World, *traces: str) -> Sequence[str]:
    return [home_of(world, trace_id) for trace_id in traces]


def spans_in(world: World, trace_id: str) -> int:
    return int(world.document(trace_id)["extraction"]["span_count"])


def test_later_traces_are_shown_by_the_one_with_the_prompt() -> None:
    world = World()
    world.send(sent(1, attributes=PROMPT, trace_id=A))
    world.send(sent(2, attributes=SESSION, trace_id=B, start_ms=20))
    world.send(sent(3, attributes=SESSION, trace_id=C, start_ms=40), sent(4, 3, trace_id=C))
    world.run(3)
    assert homes(world, A, B, C) == [A, A, A]
    assert [spans_in(world, t) for t in (A, B, C)] == [4, 1, 2]


def test_a_prompt_that_comes_late_takes_what_is_its_own() -> None:
    world = World()
    world.send(sent(1, attributes=PROMPT, trace_id=A))
    world.send(sent(2, attributes=SESSION, trace_id=B, start_ms=20))
    world.send(sent(3, attributes=SESSION, trace_id=C, start_ms=60))
    world.run(3)
    assert homes(world, A, B, C) == [A, A, A]
    world.send(sent(4, attributes=PROMPT, trace_id=D, start_ms=40))
    world.run(3)
    assert homes(world, A, B, C, D) == [A, A, D, D]
    assert [spans_in(world, t) for t in (A, D)] == [2, 2]


def test_a_span_that_comes_late_is_in_the_home() -> None:
    world = World()
    world.send(sent(1, attributes=PROMPT, trace_id=A))
    world.send(sent(2, attributes=SESSION, trace_id=B, start_ms=20))
    world.run(3)
    world.send(sent(5, 2, trace_id=B, start_ms=22))
    world.run(3)
    assert [spans_in(world, t) for t in (A, B)] == [3, 2]
    assert world.step(5) == 0


def test_other_sessions_services_and_projects_are_other_runs() -> None:
    world = World()
    world.send(sent(1, attributes=PROMPT, trace_id=A))
    world.send(sent(2, attributes={"session.id": "T"}, trace_id=B, start_ms=20))
    world.run(3)
    assert homes(world, A, B) == [A, B]
    joins = joining.find_joins(
        world.store.calls,
        {k: _part(k) for k in (key_of(A)._replace(project="p"), key_of(C))},
    )
    assert set(joins.homes.values()) == set(joins.homes)


def _part(key: Any) -> parts.Part:
    return parts.Part(key, "part of x", T0_NS, T0_NS, 0, 0, 1)


def test_a_restart_between_two_builds_changes_nothing() -> None:
    world = World()
    world.send(sent(2, attributes=SESSION, trace_id=B, start_ms=20))
    world.run(2)
    world.send(sent(1, attributes=PROMPT, trace_id=A))
    world.step(0.6)
    world.restart()
    world.run(5)
    assert homes(world, A, B) == [A, A]
    assert spans_in(world, A) == 2


def test_equal_span_ids_of_two_traces_are_one_span_of_the_home() -> None:
    world = World()
    world.send(sent(1, attributes=PROMPT, trace_id=A))
    world.send(sent(1, attributes=SESSION, trace_id=B, start_ms=20))
    world.run(3)
    assert homes(world, A, B) == [A, A]
    assert spans_in(world, A) == 1


def test_a_run_has_no_more_spans_than_a_trace_may_have() -> None:
    world = World(max_trace_spans=3)
    world.send(sent(1, attributes=PROMPT, trace_id=A), sent(5, 1, trace_id=A))
    world.send(sent(2, attributes=SESSION, trace_id=B, start_ms=20), sent(6, 2, trace_id=B))
    world.send(sent(3, attributes=SESSION, trace_id=C, start_ms=40))
    world.run(3)
    assert homes(world, A, B, C) == [A, A, A]
    assert spans_in(world, A) == 3
    assert "1 further traces" in json.dumps(world.document(A)["extraction"]["warnings"])


def test_a_home_with_more_spans_than_are_read_stays_a_part() -> None:
    world = World(max_trace_spans=3)
    many = [sent(100 + n, 1, trace_id=A, start_ms=n) for n in range(4)]
    world.send(sent(1, attributes=PROMPT, trace_id=A), *many)
    world.send(sent(2, attributes=SESSION, trace_id=B, start_ms=20))
    world.run(3)
    assert homes(world, A, B) == [A, A]
    assert "3 of 5 spans" in (warnings := json.dumps(world.document(A)["extraction"]["warnings"]))
    assert "1 further traces" in warnings
    assert spans_in(world, A) == 5


def test_a_conversation_of_too_many_traces_is_not_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, "MAX_PARTS", 3)
    world = World()
    for number, trace_id in enumerate((A, B, C, D), start=1):
        world.send(sent(number, attributes=PROMPT, trace_id=trace_id, start_ms=20 * number))
    world.run(3)
    assert homes(world, A, B, C, D) == [A, B, C, D]
    assert "too many traces" in json.dumps(world.document(D)["extraction"]["warnings"])


def test_a_home_of_many_spans_waits_in_proportion() -> None:
    world = World()
    many = [sent(100 + n, 1, trace_id=A, start_ms=n) for n in range(5_000)]
    world.send(sent(1, attributes=PROMPT, trace_id=A), *many)
    world.run(3)
    built = world.said(A)[0]
    for n in range(5):
        trace_id = f"{n:032x}".replace("0", "e", 1)
        world.send(sent(2, attributes=SESSION, trace_id=trace_id, start_ms=20 + n))
        world.run(1)
    world.run(5)
    assert world.said(A)[0] - built <= 4
    assert spans_in(world, A) == 5_001 + 1


def test_absurd_times_are_no_part_of_a_run_and_harm_none() -> None:
    world = World()
    world.send(sent(1, attributes=PROMPT, trace_id=A))
    early, late = (sent(2, attributes=PROMPT, trace_id=t, start_ms=20) for t in (B, C))
    early.start_time_unix_nano, early.end_time_unix_nano = 0, 2**64 - 1
    late.start_time_unix_nano = late.end_time_unix_nano = 2**64 - 1
    world.send(early)
    world.send(late)
    world.send(sent(3, attributes=SESSION, trace_id=D, start_ms=20))
    world.run(5)
    assert homes(world, A, B, C, D) == [A, B, C, A]
    assert world.step(5) == 0


def delete(world: World, trace_id: str) -> None:
    scope = DeletionScope(Reach.ALL, trace_id=trace_id)
    world.store.deletions.delete(new_deletion(scope, "", world.now_ns))


def test_what_is_deleted_of_a_run_leaves_the_trace_that_shows_it() -> None:
    world = World()
    world.send(sent(1, attributes=PROMPT, trace_id=A))
    world.send(sent(2, attributes={**SESSION, "secret": "words"}, trace_id=B, start_ms=20))
    world.send(sent(3, attributes=SESSION, trace_id=C, start_ms=40))
    world.run(3)
    assert spans_in(world, A) == 3
    delete(world, B)
    world.run(5)
    assert spans_in(world, A) == 2
    assert world.document(B) == {}
    assert homes(world, A, C) == [A, A]


def test_scores_of_a_part_are_those_of_the_run_that_shows_it() -> None:
    world = World()
    judged = sent(3, attributes={**SESSION, **chat(1, 1)}, trace_id=B, start_ms=20)
    event = judged.events.add(name="gen_ai.evaluation.result", time_unix_nano=T0_NS)
    event.attributes.add(key="gen_ai.evaluation.name").value.string_value = "good"
    world.send(judged)
    world.run(70, 5)

    def scored() -> Sequence[tuple[str, str, str]]:
        found = world.store.scores.list(Reach.ALL, ScoreQuery(), 10)
        return [(s.key.trace_id, s.target, s.step_id) for s in found]

    assert [trace_id for trace_id, *_ in scored()] == [B]
    world.send(sent(1, attributes=PROMPT, trace_id=A))
    world.run(5)
    assert home_of(world, B) == A
    assert scored() == [(A, "step", f"{3:016x}")]
