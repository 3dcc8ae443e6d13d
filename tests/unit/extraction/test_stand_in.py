"""A run whose root has not arrived gets a root that is named after its agent or service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import KEY, MS, START_NS, make_span, sid

from spanloom.core.extract import extract
from spanloom.core.model.trajectory import Kind, Outcome, Status
from spanloom.extractor.records import make_record

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

CALL = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}


def run(number: int, service: str = "", **attributes: str) -> str:
    """Return the name of a run with ``number`` model calls below a root that never arrived."""
    spans = [
        make_span(n, 9, {**CALL, **attributes}, name="chat m", start=n)
        for n in range(1, number + 1)
    ]
    return extract(KEY, [span._replace(service_name=service) for span in spans]).root.name


def test_it_has_the_name_of_its_agent_else_of_its_service() -> None:
    assert run(2, "travel", **{"gen_ai.agent.name": "planner"}) == "planner"
    assert run(2, "travel") == "travel"
    assert run(2, "unknown_service:python") == "chat m"
    assert run(1, "travel") == "travel", "one call has the name that two have"


def test_a_node_stands_in_for_its_agent_but_not_for_its_service() -> None:
    node = make_span(1, 9, {"openinference.span.kind": "CHAIN"}, name="tools")
    agent = make_span(2, 9, {"openinference.span.kind": "AGENT"}, name="planner", start=1)
    beside = [span._replace(service_name="travel") for span in (node, agent)]
    assert extract(KEY, beside).root.name == "planner"
    assert extract(KEY, [beside[0], make_span(3, 9)]).root.name == "tools"
    assert extract(KEY, [make_span(1, 0, name="root"), *beside[1:]]).root.name == "root"


@pytest.mark.parametrize("status", [Status.LIVE, Status.PARTIAL])
def test_only_when_it_is_given_up_a_root_is_missed(status: Status) -> None:
    backwards = make_span(2, 8, start=5, end=1)
    trajectory = extract(KEY, [make_span(1, 9), backwards])
    record = make_record(KEY, trajectory, status, seq=1, head=None)
    assert record is not None
    missing = ["no span without a parent", "1 spans have a parent that is not in the trace"]
    told = [w for text in missing for w in record.trajectory.warnings if w.startswith(text)]
    assert len(told) == (0 if status is Status.LIVE else 2)
    assert any("end before they start" in text for text in record.trajectory.warnings)
    assert (missing[0].encode() in record.document) == bool(told)


TURN = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}


def turn(number: int, parent: int, start: float) -> list[Span]:
    """Return the spans of an agent and of its only model call."""
    asked = {**TURN, "gen_ai.input.messages": f"question {number}"}
    agent = make_span(number, parent, asked, name="invoke_agent helper", start=start)
    return [agent, make_span(number + 1, number, CALL, name="chat m", start=start + 1)]


def test_turns_below_a_missing_root_are_siblings() -> None:
    trajectory = extract(KEY, [*turn(1, 9, 0), *turn(3, 9, 60)])
    owned = {a.step.id: [s.id for s in a.steps] for a in trajectory.agent_steps}
    assert owned == {sid(9): [sid(1), sid(3)], sid(1): [sid(2)], sid(3): [sid(4)]}
    assert (trajectory.root.id, trajectory.root.name) == (sid(9), "helper")
    assert (trajectory.root_type, trajectory.has_root) == (Kind.OTHER, False)
    assert trajectory.root.end_ns == START_NS + 71 * MS, "the newest end, of a call inside"


ONE_CALL = make_span(1, 9, CALL, name="chat m", start=3, end=8)
TOOL = make_span(1, 9, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find"})
ROOT = make_span(9, 0, TURN, name="invoke_agent helper", end=70)


@pytest.mark.parametrize("call", [ONE_CALL, TOOL], ids=["model", "tool"])
def test_a_call_below_a_missing_root_is_not_the_root(call: Span) -> None:
    trajectory = extract(KEY, [call])
    assert (trajectory.root.id, trajectory.root_type) == (sid(9), Kind.OTHER)
    assert [(a.step.id, [s.id for s in a.steps]) for a in trajectory.agent_steps] == [
        (sid(9), [sid(1)])
    ]
    assert (trajectory.span_count, trajectory.has_root) == (1, False)
    assert (trajectory.root.start_ns, trajectory.root.end_ns) == (call.start_ns, call.end_ns)
    assert trajectory.absences


def test_a_call_without_a_parent_is_a_whole_run() -> None:
    trajectory = extract(KEY, [ONE_CALL._replace(parent_span_id="")])
    assert (trajectory.root.id, trajectory.root_type) == (sid(1), Kind.MODEL)
    itself = extract(KEY, [ONE_CALL._replace(parent_span_id=sid(1))])
    assert (itself.root.id, itself.root_type) == (sid(1), Kind.MODEL)


def test_an_agent_or_a_service_below_a_missing_span_is_the_root() -> None:
    assert extract(KEY, turn(1, 9, 0)).root_type is Kind.AGENT
    server = make_span(1, 9, name="POST /chat")
    trajectory = extract(KEY, [server, make_span(2, 1, CALL, name="chat m", start=1)])
    assert (trajectory.root.id, trajectory.root.name) == (sid(1), "POST /chat")


def test_no_step_moves_when_spans_come_from_the_inside_out() -> None:
    inside_out = [ONE_CALL, make_span(2, 9, CALL, name="chat m", start=20), ROOT]
    live = [extract(KEY, inside_out[:n]) for n in (1, 2, 3)]
    assert [t.root.id for t in live] == [sid(9)] * 3
    assert [t.step_counts["model"] for t in live] == [1, 2, 2]
    assert live[2] == extract(KEY, reversed(inside_out))


def test_a_run_whose_last_call_has_no_end_is_unfinished() -> None:
    pending = make_span(2, 9, CALL, name="chat m", start=20)._replace(end_ns=0)
    assert extract(KEY, [pending]).outcome is Outcome.UNFINISHED
    assert extract(KEY, [ONE_CALL, pending]).outcome is Outcome.UNFINISHED
    later = make_span(3, 9, CALL, name="chat m", start=40)
    assert extract(KEY, [pending, later]).outcome is not Outcome.UNFINISHED


def test_a_root_that_was_not_sent_is_no_span() -> None:
    trajectory = extract(KEY, [*turn(1, 9, 0), *turn(3, 9, 60)])
    assert [v.span_id for v in trajectory.verdicts] == [sid(n) for n in (1, 2, 3, 4)]
    assert (trajectory.span_count, trajectory.dialects) == (4, ["otel_genai"])
    assert trajectory.step_counts["other"] == 0


def test_a_failure_below_a_missing_root_is_recovered_by_what_follows() -> None:
    failed = make_span(1, 9, CALL, name="chat m", status="Error", message="no")
    again = make_span(2, 9, CALL, name="chat m", start=20)
    assert extract(KEY, [failed, again]).outcome is Outcome.RECOVERED
    assert extract(KEY, [again._replace(start_ns=START_NS - 1), failed]).outcome is Outcome.FAILED


def test_the_root_that_comes_after_all_takes_the_place_of_the_one_made() -> None:
    turns = [*turn(1, 9, 0), *turn(3, 9, 60)]
    before = extract(KEY, turns)
    after = extract(KEY, [make_span(9, 0, name="POST /chat", end=70), *turns])
    assert [a.step.id for a in before.agent_steps] == [a.step.id for a in after.agent_steps]
    assert (after.root.name, after.has_root) == ("POST /chat", True)
