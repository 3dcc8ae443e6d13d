"""Agno under OpenInference: agents, teams with a leader, workflows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, make_span, normalized, openinference, owners, rules

if TYPE_CHECKING:
    from collections.abc import Mapping

SCOPE = "openinference.instrumentation.agno"
RUN = ("agent", "openinference_agno.run")
WORKFLOW = ("graph", "openinference_agno.workflow")
PLUMBING = ("other", "openinference.plumbing")


@pytest.mark.parametrize(
    ("name", "attributes", "expected"),
    [
        ("b.run", openinference("AGENT", agno__agent="b"), RUN),
        ("b.run", openinference("AGENT", agno__team="b"), RUN),
        ("b.run", openinference("AGENT"), RUN),
        ("b.run", {"agno.team": "b"}, RUN),
        ("b.run", openinference("CHAIN", agno__workflow__steps_count="2"), WORKFLOW),
        ("b.arun", openinference("CHAIN"), WORKFLOW),
        ("b.execute", openinference("CHAIN", agno__step__type="agent"), PLUMBING),
        ("b", openinference("TOOL", tool__name="b"), ("tool", "openinference.tool_name")),
        ("OpenAIChat.invoke", openinference("LLM"), ("model", "openinference.kind_llm")),
    ],
)
def test_marks(name: str, attributes: Mapping[str, str], expected: tuple[str, str]) -> None:
    assert rules(make_span(1, 0, attributes, name=name, scope=SCOPE))[1] == expected


def test_a_leader_and_a_member_own_their_calls() -> None:
    spans = [
        make_span(1, 0, openinference("AGENT", agno__team="t"), name="t.run", scope=SCOPE),
        make_span(2, 1, openinference("LLM"), scope=SCOPE, start=1),
        make_span(3, 1, openinference("TOOL", tool__name="delegate"), scope=SCOPE, start=2),
        make_span(
            4, 3, openinference("AGENT", agno__agent="m"), name="m.run", scope=SCOPE, start=3
        ),
        make_span(5, 4, openinference("LLM"), scope=SCOPE, start=4),
    ]
    assert owners(extract_spans(*spans)) == {1: [2, 3, 4], 4: [5]}


def test_names_are_the_author_s() -> None:
    named = openinference("AGENT", agno__agent="my agent", session__id="s")
    spans = [
        make_span(1, 0, named, name="my_agent.run", scope=SCOPE),
        make_span(2, 1, openinference("AGENT"), name="other.run", scope=SCOPE),
    ]
    found = normalized(*spans)
    assert (found[1].facts.agent_name, found[1].facts.conversation_id) == ("my agent", "s")
    assert found[2].facts.agent_name == "other"
