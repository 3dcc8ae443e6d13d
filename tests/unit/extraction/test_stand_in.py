"""What a run is called while its root has not arrived."""

from __future__ import annotations

import pytest
from tests.support.spans import KEY, make_span

from spanloom.core.model.trajectory import Status
from spanloom.extractor.extract import extract, make_record

CALL = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}


def run(number: int, service: str = "", **attributes: str) -> str:
    """Return the name of a run of so many calls under a lost root."""
    spans = [
        make_span(n, 9, {**CALL, **attributes}, name="chat m", start=n)
        for n in range(1, number + 1)
    ]
    return extract(KEY, [span._replace(service_name=service) for span in spans]).root.name


def test_it_has_the_name_of_its_agent_else_of_its_service() -> None:
    assert run(2, "travel", **{"gen_ai.agent.name": "planner"}) == "planner"
    assert run(2, "travel") == "travel"
    assert run(2, "unknown_service:python") == "chat m"
    assert run(1, "travel") == "chat m", "called by another service"


def test_a_node_stands_in_for_its_agent_but_not_for_its_service() -> None:
    node = make_span(1, 9, {"openinference.span.kind": "CHAIN"}, name="tools")
    agent = make_span(2, 9, {"openinference.span.kind": "AGENT"}, name="planner", start=1)
    beside = [span._replace(service_name="travel") for span in (node, agent)]
    assert extract(KEY, beside).root.name == "planner"
    assert extract(KEY, [beside[0], make_span(3, 9)]).root.name == "tools"
    assert extract(KEY, [make_span(1, 0, name="root"), *beside[1:]]).root.name == "root"


@pytest.mark.parametrize("status", [Status.LIVE, Status.PARTIAL])
def test_only_when_it_is_given_up_a_root_is_missed(status: Status) -> None:
    backwards = make_span(2, 9, start=5, end=1)
    trajectory = extract(KEY, [make_span(1, 9), backwards])
    record = make_record(KEY, trajectory, status, seq=1, head=None)
    assert record is not None
    missing = ["no span without a parent", "1 spans have a parent that is not in the trace"]
    told = [w for text in missing for w in record.trajectory.warnings if w.startswith(text)]
    assert len(told) == (0 if status is Status.LIVE else 2)
    assert any("end before they start" in text for text in record.trajectory.warnings)
    assert (missing[0].encode() in record.document) == bool(told)
