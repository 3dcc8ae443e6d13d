"""OpenLLMetry: its two generations, and runs that ``invoke_agent`` spans report a second time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, genai, make_span, normalized, owners, rules, sid

from spanloom.core.model.step import Usage

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "opentelemetry.instrumentation.langchain"
ASSOCIATION = "traceloop.association.properties."
ANNOUNCED = ("agent", "traceloop.invoke_agent")
TWIN = "traceloop.twin_of_invoke_agent"


def announcement(number: int, parent: int, name: str) -> Span:
    said = genai("invoke_agent", agent__name=name)
    return make_span(number, parent, said, scope=SCOPE, start=number)


def entity(number: int, parent: int, name: str, **metadata: str) -> Span:
    """Return the span of a LangChain run or node, as version 0.62 reports it."""
    said = {f"{ASSOCIATION}{key}": value for key, value in metadata.items()}
    said |= {"traceloop.entity.name": name, "gen_ai.operation.name": "execute_task"}
    said["traceloop.span.kind"] = "task"
    return make_span(number, parent, said, scope=SCOPE, start=number)


def run(number: int, parent: int, name: str, integration: str) -> list[Span]:
    """Return the spans of a run with one node inside."""
    deeper = {"langgraph_checkpoint_ns": f"model:{number}", "langgraph_node": "model"}
    return [
        entity(number, parent, name, ls_integration=integration, lc_agent_name=name),
        entity(number + 1, number, "model", ls_integration=integration, **deeper),
    ]


@pytest.mark.parametrize(
    ("said", "kind", "rule"),
    [
        ({"gen_ai.operation.name": "chat"}, "model", "chat"),
        ({"llm.request.type": "chat"}, "model", "chat"),
        ({"llm.request.type": "completion"}, "model", "completion"),
        (
            {"gen_ai.operation.name": "execute_tool", "traceloop.span.kind": "tool"},
            "tool",
            "execute_tool",
        ),
        ({"traceloop.span.kind": "tool"}, "tool", "kind_tool"),
        ({"traceloop.span.kind": "agent"}, "agent", "kind_agent"),
        ({"gen_ai.operation.name": "vector_db_retrieve"}, "tool", "vector_db_retrieve"),
        ({"gen_ai.operation.name": "embeddings"}, "tool", "embeddings"),
        ({"gen_ai.operation.name": "create_agent"}, "other", "plumbing"),
        ({"traceloop.span.kind": "workflow"}, "other", "plumbing"),
        ({"traceloop.span.kind": "task"}, "other", "plumbing"),
        ({}, "other", "plumbing"),
    ],
)
def test_operations_and_kinds(said: dict[str, str], kind: str, rule: str) -> None:
    assert rules(make_span(1, 0, said, scope=SCOPE))[1] == (kind, f"traceloop.{rule}")


@pytest.mark.parametrize(
    ("integration", "kind"), [("langchain_create_agent", "agent"), ("langgraph", "graph")]
)
def test_a_root_announcement_is_what_its_child_twin_is(integration: str, kind: str) -> None:
    found = rules(announcement(1, 0, "planner"), *run(2, 1, "planner", integration))
    assert found[1][0] == kind
    assert found[2] == (kind, TWIN)
    assert found[3] == ("other", "traceloop.plumbing")


def test_a_run_that_nobody_announced_is_the_run() -> None:
    assert rules(*run(1, 0, "planner", "langgraph"))[1] == ("graph", "langchain.graph_run")


def test_a_nested_announcement_is_what_its_sibling_twin_is() -> None:
    spans = [
        entity(1, 0, "outer"),
        announcement(2, 1, "scout"),
        *run(3, 1, "scout", "langchain_create_agent"),
    ]
    call = make_span(5, 4, genai("chat"), scope=SCOPE, start=5)
    trajectory = extract_spans(*spans, call)
    assert owners(trajectory) == {1: [2], 2: [5]}
    assert trajectory.agent_steps[0].steps[0].metadata["merged_span_ids"] == sid(3)


def test_siblings_of_one_name_are_paired_in_order() -> None:
    spans = [
        entity(1, 0, "outer"),
        announcement(2, 1, "scout"),
        announcement(3, 1, "scout"),
        *run(4, 1, "scout", "langchain_create_agent"),
        *run(6, 1, "scout", "langchain_create_agent"),
    ]
    found = normalized(*spans)
    assert (found[4].part_of, found[6].part_of) == (sid(2), sid(3))


def test_an_announcement_of_another_name_is_no_twin() -> None:
    found = normalized(entity(1, 0, "outer"), announcement(2, 1, "a"), *run(3, 1, "b", "langgraph"))
    assert (str(found[2].kind), found[2].rule) == ANNOUNCED
    assert (found[3].part_of, found[3].rule) == (None, "langchain.graph_run")


def test_an_announcement_after_the_run_is_no_twin() -> None:
    spans = [entity(1, 0, "outer"), *run(2, 1, "scout", "langgraph"), announcement(9, 1, "scout")]
    assert normalized(*spans)[2].part_of is None


def test_the_old_generation_keeps_metadata_in_its_input() -> None:
    def old(number: int, parent: int, name: str, kind: str, metadata: object) -> Span:
        said = {
            "traceloop.entity.name": name,
            "traceloop.span.kind": kind,
            "traceloop.entity.input": json.dumps({"inputs": {}, "metadata": metadata}),
        }
        return make_span(number, parent, said, scope=SCOPE, start=number)

    inside = {"langgraph_checkpoint_ns": "model:1", "langgraph_node": "model"}
    own = {"ls_integration": "langchain_create_agent", "lc_agent_name": "planner"}
    spans = [old(1, 0, "planner", "workflow", own), old(2, 1, "model", "task", {**own, **inside})]
    assert rules(*spans)[1] == ("agent", "langchain.create_agent")
    assert rules(old(1, 0, "planner", "workflow", ["no object"]))[1][0] == "other"


def test_a_call_of_the_old_generation() -> None:
    said = {
        "llm.request.type": "chat",
        "gen_ai.request.model": "gpt",
        "gen_ai.prompt.0.content": "hi",
        "gen_ai.usage.prompt_tokens": "5",
        "gen_ai.usage.completion_tokens": "2",
        "gen_ai.usage.cache_read_input_tokens": "1",
    }
    facts = normalized(make_span(1, 0, said, scope=SCOPE))[1].facts
    assert (facts.input, facts.model) == ('[{"role":"user","content":"hi"}]', "gpt")
    assert facts.usage == Usage(5, 2, 0, 1, 0)


def test_entities_fill_in_what_the_conventions_leave_out() -> None:
    said = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "lookup",
        "traceloop.entity.input": "in",
        "traceloop.entity.output": "out",
        ASSOCIATION + "session_id": "",
        ASSOCIATION + "thread_id": "t",
    }
    facts = normalized(make_span(1, 0, said))[1].facts
    assert (facts.tool_name, facts.input, facts.output) == ("lookup", "in", "out")
    assert facts.conversation_id == "t"


def test_an_announcement_in_another_dialect_takes_no_twin_with_it() -> None:
    said = {**genai("invoke_agent", agent__name="planner"), "runinfo.component": "Lambda"}
    foreign = make_span(1, 0, said, scope=SCOPE, start=1)
    trajectory = extract_spans(foreign, *run(2, 1, "planner", "langchain_create_agent"))
    assert [a.step.id for a in trajectory.agent_steps if a.step.type == "agent"] == [sid(2)]


def lasting(span: Span, last: int) -> Span:
    return span._replace(end_ns=span.start_ns + last * 1_000_000)


def test_a_twin_below_another_span_is_what_ran_while_the_announcement_was_open() -> None:
    """The announcement is below another library's tool span, its twin below OpenLLMetry's."""
    tools = [make_span(n, 1, start=0, end=90, scope=scope) for n, scope in ((2, "x"), (3, SCOPE))]
    announced = lasting(announcement(4, 2, "writer"), 80)
    twin = run(5, 3, "writer", "langchain_create_agent")
    found = rules(make_span(1, 0, end=99), *tools, announced, *twin)
    assert found[4][0] == "agent"
    assert found[5] == ("agent", TWIN)


def test_what_ran_after_the_announcement_ended_is_no_twin_of_it() -> None:
    spans = [make_span(1, 0, end=99), make_span(2, 1, end=90), make_span(3, 1, end=90)]
    twin = run(50, 3, "writer", "langchain_create_agent")
    found = rules(*spans, announcement(4, 2, "writer"), *twin)
    assert found[50] == ("agent", "langchain.create_agent")


def test_an_announcement_of_another_instrumentation_takes_no_twin() -> None:
    other = announcement(4, 2, "writer")._replace(scope_name="another")
    spans = [make_span(1, 0, end=99), make_span(2, 1, end=90), lasting(other, 80)]
    announced = lasting(announcement(5, 2, "writer"), 80)
    found = rules(*spans, announced, *run(6, 2, "writer", "langchain_create_agent"))
    assert found[6] == ("agent", TWIN)
    assert normalized(*spans, announced, *run(6, 2, "writer", "langchain_create_agent"))[
        6
    ].part_of == sid(5)
