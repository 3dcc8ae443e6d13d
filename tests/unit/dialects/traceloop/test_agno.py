"""Agno under OpenLLMetry: agents, teams with a leader, and results of tools."""

from __future__ import annotations

import pytest
from tests.support.spans import make_span, normalized, rules

SCOPE = "opentelemetry.instrumentation.agno"
REST = " updated_session_state=None images=None videos=None"


def test_a_team_is_an_agent_though_its_kind_says_workflow() -> None:
    team = {"traceloop.span.kind": "workflow", "agno.team.name": "Trip Team"}
    found = normalized(make_span(1, 0, team, name="Trip Team.team", scope=SCOPE))
    assert (found[1].kind, found[1].rule) == ("agent", "traceloop_agno.team")
    assert found[1].facts.agent_name == "Trip Team"


def test_the_last_word_of_the_name_tells_a_team_too() -> None:
    found = rules(make_span(1, 0, {}, name="b.team", scope=SCOPE))
    assert found[1] == ("agent", "traceloop_agno.team")


def test_an_agent_without_an_attribute_has_the_name_of_its_span() -> None:
    said = {"traceloop.span.kind": "agent"}
    found = normalized(make_span(1, 0, said, name="b.c.agent", scope=SCOPE))
    assert found[1].facts.agent_name == "b.c"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (f"status='success' result='it\\'s' error=None{REST}", "it's"),
        (f"status='success' result={{'a': 1}} error=None{REST}", "{'a': 1}"),
        (f"status='failure' result=None error='no such city'{REST}", "no such city"),
        ("sunny", "sunny"),
        ("status='success' result='cut", "status='success' result='cut"),
    ],
)
def test_a_tool_shows_its_bare_result(written: str, shown: str) -> None:
    said = {"traceloop.span.kind": "tool", "traceloop.entity.output": written}
    found = normalized(make_span(1, 0, said, name="b.tool", scope=SCOPE))
    assert (found[1].kind, found[1].facts.output) == ("tool", shown)
