"""User, tags, environment and other metadata of a run, under the keys of each instrumentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import KEY, make_span

from spanloom.core.conventions.run_context import (
    MAX_CHARS,
    MAX_OWN,
    find_context_keys,
    note_context,
)
from spanloom.core.extract import extract
from spanloom.core.model.span import Facts

if TYPE_CHECKING:
    from collections.abc import Mapping


def told(attributes: Mapping[str, str], service: str = "", environment: str = "") -> dict[str, str]:
    facts = Facts()
    span = make_span(1, 0, attributes)
    sent = span._replace(service_name=service, environment=environment)
    note_context(facts, sent, find_context_keys(span.attributes))
    return dict(facts.metadata)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"user.id": "ada"}, {"user_id": "ada"}),
        ({"traceloop.association.properties.user_id": "ada"}, {"user_id": "ada"}),
        ({"langfuse.trace.metadata.user_id": '"ada"'}, {"user_id": "ada"}),
        ({"metadata": '{"user_id":"ada"}'}, {"user_id": "ada"}),
        ({"metadata": '{"user_id":7}'}, {}),
        ({"cozeloop.tag.user_id": "ada", "user.id": ""}, {"user_id": "ada"}),
        ({"langfuse.environment": "staging"}, {"environment": "staging"}),
        ({"langfuse.trace.tags": '["b","a","b"]'}, {"tags": '["b","a"]'}),
        ({"tag.tags": '["x",5,null]'}, {"tags": '["x"]'}),
        ({"langsmith.span.tags": "seq:step:1, beta"}, {"tags": '["beta"]'}),
        ({"langsmith.span.tags": "graph:step:2"}, {}),
        ({"tag.tags": "[not json"}, {}),
        ({"gen_ai.cost.total_cost": "0.0000438"}, {"reported_cost": "0.0000438"}),
        ({"gen_ai.usage.cost": "0"}, {}),
        ({"llm.cost.total": "nan"}, {}),
        ({"operation.cost": "1e300"}, {}),
        (
            {"langfuse.observation.cost_details": '{"input":0.1,"total":0.3}'},
            {"reported_cost": "0.3"},
        ),
        ({"langfuse.observation.cost_details": '{"total":"x"}'}, {}),
        ({"langfuse.trace.metadata.team": '"blue"'}, {"metadata.team": "blue"}),
        ({"langsmith.metadata.team": "blue"}, {"metadata.team": "blue"}),
        ({"ai.telemetry.metadata.team": "blue"}, {"metadata.team": "blue"}),
        (
            {"metadata": '{"team":"blue","k":3,"none":null,"langgraph_step":1,"ls_provider":"x"}'},
            {"metadata.team": "blue", "metadata.k": "3"},
        ),
        ({"metadata": '"<object>"', "user": "null"}, {}),
    ],
)
def test_it_stands_in_one_place_for_all(
    attributes: Mapping[str, str], expected: Mapping[str, str]
) -> None:
    assert told(attributes) == expected


def test_the_resource_comes_before_the_span() -> None:
    shown = told({"gen_ai.environment": "default"}, service="travel", environment="production")
    assert shown == {"service_name": "travel", "environment": "production"}


def test_much_metadata_is_cut() -> None:
    shown = told({f"langsmith.metadata.k{n}": "v" * 5_000 for n in range(300)})
    assert len(shown) == MAX_OWN
    assert set(map(len, shown.values())) == {MAX_CHARS}


LLM = {"openinference.span.kind": "LLM", "llm.model_name": "m"}


def test_the_run_shows_what_its_root_tells_else_what_all_agree_on() -> None:
    spans = [
        make_span(1, 0, {"openinference.span.kind": "AGENT", "user.id": "ada", "metadata": "{}"}),
        make_span(2, 1, {**LLM, "user.id": "bob", "llm.cost.total": "0.1", "tag.tags": '["b"]'}),
        make_span(3, 1, {**LLM, "gen_ai.environment": "test", "llm.cost.total": "0.2"}),
        make_span(4, 1, {**LLM, "tag.tags": '["a"]', "metadata": '{"attempt":2}'}),
    ]
    extras = extract(KEY, spans).extras
    assert extras["user_id"] == "ada"
    assert extras["environment"] == "test"
    assert extras["tags"] == ["a", "b"]
    assert extras["reported_cost"] == 0.3
    assert "metadata" not in extras, "that of one call is none of the run's"


def test_a_web_servers_run_shows_its_agents_metadata() -> None:
    agent = {"openinference.span.kind": "AGENT", "metadata": '{"team":"blue"}'}
    spans = [make_span(1, 0, {"http.route": "/chat"}), make_span(2, 1, agent)]
    assert extract(KEY, spans).extras["metadata"] == {"team": "blue"}
    two = [make_span(n, 1, {**agent, "user.id": f"u{n}"}) for n in (2, 3)]
    assert "user_id" not in extract(KEY, [make_span(1), *two]).extras
