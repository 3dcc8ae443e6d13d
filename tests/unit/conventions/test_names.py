"""Display names of steps: they repeat from run to run, and are the author's names."""

from __future__ import annotations

import pytest
from tests.support.recorded import documents
from tests.support.spans import KEY, chat, genai, make_span

from spanloom.core.conventions.names import author_name, name_of, without_ids
from spanloom.core.extract import extract

UUID = "eb23b91c-a75f-49e9-8292-401fc736db00"
CALL = chat(1, 2, request__model="gpt-4o")


def shown(name: str, /, **attributes: str) -> str:
    """Return the display name of a span; ``__`` in an attribute's name means a dot."""
    named = {key.replace("__", "."): value for key, value in attributes.items()}
    return name_of(make_span(1, attributes=named, name=name))


def root_name(name: str, attributes: dict[str, str], scope: str = "tests") -> str:
    """Return the display name of the root of a run with one model call."""
    spans = [
        make_span(1, attributes=attributes, name=name, scope=scope, end=20),
        make_span(2, 1, CALL, name="chat gpt-4o", scope=scope, start=1),
    ]
    return extract(KEY, spans).root.name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (f"Flow_{UUID}.kickoff", "Flow.kickoff"),
        (f"Task {UUID.upper()}", "Task"),
        (f"{UUID}: answer", "answer"),
        (f"run [{UUID}] of desk", "run of desk"),
        ("job-0af7651916cd43dd8448eb211c80319c-done", "job-done"),
        ("run 1716239022123", "run"),
        ("order/01ARZ3NDEKTSV4RRFFQ69G5FAV", "order"),
        ("thread_abc123DEF456ghi789JKL012", "thread"),
        ("run_01hx5k3q2m8v7n6b4c9d0f1g2h", "run"),
        ("call asst_aBcDeFg7HiJkLmNo", "call asst"),
        ("call_0123456789ab", "call"),
        ("run_1716239022123", "run"),
        ("run_simulation2024", "run_simulation2024"),
        ("call_weatherservice2", "call_weatherservice2"),
        ("Agent(id=8c9d0e1f2a3b4c5d)", "Agent"),
        ("report 2026-08-01T10:00:00.5+02:00", "report"),
        (UUID, UUID),
        ("invoke claude3haiku", "invoke claude3haiku"),
        ("report 2026-08-01", "report 2026-08-01"),
        ("llama3p1 70b instruct", "llama3p1 70b instruct"),
        ("run_evaluation", "run_evaluation"),
        ("chat claude-sonnet-4-5-20250929", "chat claude-sonnet-4-5-20250929"),
        ("deadbeefdeadbeefdead", "deadbeefdeadbeefdead"),
        ("agent 2024", "agent 2024"),
    ],
)
def test_ids_are_taken_out_with_their_separator(name: str, expected: str) -> None:
    assert without_ids(name) == expected


def test_an_id_is_also_what_the_span_itself_calls_one() -> None:
    assert shown("Flow_order17x.kickoff", flow_id="order17x") == "Flow.kickoff"
    assert shown("crew-nightly-7.run", crewId="nightly-7") == "crew.run"
    assert shown("Trader42 at work", graph__node__id="Trader42") == "Trader42 at work"
    assert shown("ask gpt-4o-mini", request_id="gpt-4o-mini", model="gpt-4o-mini") == (
        "ask gpt-4o-mini"
    )


def test_a_template_is_filled_from_the_spans_own_attributes() -> None:
    trace = "OpenAI Agents trace: {name}"
    assert shown(trace, name="Agent workflow") == "OpenAI Agents trace: Agent workflow"
    data = '{"model":"gpt-4o","messages":[{"role":"user"}]}'
    call = "Chat Completion with {request_data[model]!r}"
    assert shown(call, request_data=data) == "Chat Completion with 'gpt-4o'"
    assert shown("{request_data[messages][0][role]}", request_data=data) == "user"
    assert shown("with {gen_ai.request.model!r}", gen_ai__request__model="m") == "with 'm'"
    assert shown("{a.b} of {n!r}", a='{"b":2}', n="5") == "2 of 5"
    assert shown("hello {name=}", name="Ada") == "hello name=Ada"


def test_what_does_not_repeat_stays_a_field() -> None:
    assert shown("order {order_id} of {shop}", order_id="7", shop="Bern") == (
        "order {order_id} of Bern"
    )
    assert shown("say {text} to {who}", text="a\nb", who="Ada") == "say {text} to Ada"
    assert shown("run {key} of {n:02d}", key=UUID, n="1") == "run {key} of 1"


def test_what_is_no_template_stays_as_it_is() -> None:
    assert shown("GET /users/{user}", user="ada") == "GET /users/{user}"
    assert shown('{"a": {"b": 1}}', a="x") == '{"a": {"b": 1}}'
    assert shown("{name", name="x") == "{name"
    assert shown("{{name}}", name="x") == "{{name}}"
    assert shown("{} of {0}", name="x") == "{} of {0}"


def test_where_a_field_is_not_there_logfires_own_text_counts() -> None:
    logfire = {"logfire__msg_template": "ask {who}", "logfire__msg": "ask Ada"}
    assert shown("ask {who}", **logfire) == "ask Ada"
    assert shown("ask {who}", **logfire, who="Bob") == "ask Bob"
    assert shown("other {who}", **logfire) == "other {who}"


@pytest.mark.parametrize(
    "key", ["ai.telemetry.functionId", "vercel.ai.telemetry.functionId", "gen_ai.function_id"]
)
def test_a_call_of_the_ai_sdk_has_the_name_of_its_function(key: str) -> None:
    operation = "vercel.ai.operationId" if key.startswith("vercel") else "ai.operationId"
    attributes = {operation: "ai.generateText", key: "typed"}
    assert root_name("ai.generateText", attributes, "ai") == "typed"
    assert root_name("ai.streamText typed", attributes, "ai") == "typed"


def test_the_authors_name_is_shown_where_the_spans_name_lacks_it() -> None:
    run = genai("invoke_agent", agent__name="typed", request__model="gpt-4o")
    assert root_name("invoke_agent gpt-4o", run, "gen_ai") == "typed"
    workflow = genai("invoke_workflow", workflow__name="essay")
    assert root_name("invoke_workflow", workflow) == "essay"
    assert root_name("invoke_workflow essay", workflow) == "invoke_workflow essay"


def test_recorded_names_hold_no_ids() -> None:
    [document] = documents("crewai_names_with_ids-oi")
    names = {a["name"] for a in document["agent_steps"]}
    names |= {s["name"] for a in document["agent_steps"] for s in a["steps"]}
    assert document["root_step"]["name"] == "Flow.kickoff"
    assert document["root_step"]["metadata"]["span_name"].startswith("Flow_eb23b91c-")
    assert names >= {"Flow.kickoff", "Crew.kickoff", "Trader", "Teller"}


def test_recorded_runs_have_the_names_of_their_functions() -> None:
    found = {d["root_step"]["name"] for d in documents("ai_sdk_generatetext_name")}
    assert found == {"typed", "doomed", "aborted"}


def test_the_work_on_a_long_name_is_bounded() -> None:
    name = "0123456789abcdef-" * 50_000
    attributes = {"gen_ai.workflow.name": name, "gen_ai.operation.name": "invoke_workflow"}
    span = make_span(1, 0, attributes, name="{a}" * 50_000)
    assert name_of(span) == span.name
    assert author_name(span) == ""
    assert without_ids(name) == name
