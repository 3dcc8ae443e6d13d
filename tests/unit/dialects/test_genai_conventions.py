"""The GenAI conventions 0.1.0 and their pages on MCP and A2A: the examples there, as runs."""

from __future__ import annotations

import json

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from tests.support.extracting import TRACE, World, sent
from tests.support.spans import (
    START_NS,
    chat,
    extract_spans,
    genai,
    make_span,
    normalized,
    owners,
    rules,
    step_types,
    verdict,
)

from spanloom.core.formats.canonical import encode_spans
from spanloom.core.model.access import Reach
from spanloom.core.model.span import Event, Span
from spanloom.core.model.step import Usage
from spanloom.core.model.trajectory import Outcome

CALL = chat(5, 5, request__model="gpt-4")
JOKE = [
    {"role": "system", "parts": [{"type": "text", "content": "You are a helpful bot"}]},
    {"role": "user", "parts": [{"type": "text", "content": "Tell me a joke"}]},
]
TOLD = [{"role": "assistant", "parts": [{"type": "text", "content": "Why did the developer …"}]}]
EVALUATION = {
    "gen_ai.evaluation.name": "Relevance",
    "gen_ai.evaluation.score.value": "4.5",
    "gen_ai.evaluation.score.label": "relevant",
    "gen_ai.evaluation.explanation": "to the point",
    "gen_ai.response.id": "chatcmpl-123",
}
RESULT = "gen_ai.evaluation.result"


def call(**more: str | int) -> dict[str, str]:
    """Return the attributes of the chat example in the conventions."""
    named = {"provider__name": "openai", "request__model": "gpt-4", "response__model": "gpt-4-0613"}
    return genai("chat", **named, usage__input_tokens=52, usage__output_tokens=47, **more)


def test_the_chat_example_is_a_call_with_its_texts_and_its_counts() -> None:
    attributes = call(
        usage__cache_read__input_tokens=20,
        input__messages=json.dumps(JOKE),
        output__messages=json.dumps(TOLD),
        response__finish_reasons='["stop"]',
    )
    root = extract_spans(make_span(1, 0, attributes, name="chat gpt-4")).root
    assert (root.model, root.usage) == ("gpt-4-0613", Usage(52, 47, 0, 20, 0))
    assert [m["role"] for m in json.loads(root.input)] == ["system", "user"]
    assert json.loads(root.output)[0]["content"] == "Why did the developer …"


@pytest.mark.parametrize("written", ["cache_creation", "cache_write"])
def test_renamed_counts_are_read_and_those_of_media_are_no_totals(written: str) -> None:
    attributes = call(
        **{f"usage__{written}__input_tokens": 25, "usage__reasoning__output_tokens": 7},
        usage__text__input_tokens=12,
        usage__image__input_tokens=40,
        usage__audio__output_tokens=10,
    )
    trajectory = extract_spans(make_span(1, 0, attributes))
    assert trajectory.root.usage == Usage(52, 47, 7, 0, 25)
    assert trajectory.warnings == []


MEDIA = [
    {"type": "uri", "modality": "image", "mime_type": "image/png", "uri": "https://x.org/a.png"},
    {"type": "file", "modality": "image", "file_id": "provider_fileid_123"},
    {"type": "blob", "modality": "audio", "mime_type": "audio/wav", "content": "aGVsbG8="},
    {"type": "uri", "modality": "document", "mime_type": "application/pdf", "uri": "s3://b/k.pdf"},
]


def test_parts_of_all_media_are_kept() -> None:
    parts = [{"type": "text", "content": "What is in the attached data?"}, *MEDIA]
    asked = json.dumps([{"role": "user", "parts": parts}])
    root = extract_spans(make_span(1, 0, call(input__messages=asked))).root
    assert len(json.loads(root.input)[0]["content"]) == len(parts)
    assert all(word in root.input for word in ("a.png", "provider_fileid_123", "k.pdf"))


@pytest.mark.parametrize("name", ["workflow", "agent"])
def test_a_workflow_has_its_name_under_the_old_key_and_the_new(name: str) -> None:
    workflow = genai("invoke_workflow", **{f"{name}__name": "essay"})
    spans = [make_span(1, 0, workflow, name="invoke_workflow", end=30), make_span(2, 1, CALL)]
    trajectory = extract_spans(*spans)
    assert (trajectory.root.name, trajectory.root_type) == ("essay", "graph")
    assert trajectory.root.metadata["agent_name"] == "essay"


def test_a_plan_is_no_step_and_the_call_that_makes_it_is_the_agents() -> None:
    spans = [
        make_span(1, 0, genai("invoke_agent", agent__name="Math Tutor"), end=50),
        make_span(2, 1, genai("plan", agent__name="Math Tutor"), name="plan Math Tutor", start=1),
        make_span(3, 2, CALL, start=2),
        make_span(4, 1, genai("execute_tool", tool__name="add"), start=20),
    ]
    trajectory = extract_spans(*spans)
    assert step_types(trajectory) == {1: "agent", 3: "model", 4: "tool"}
    assert owners(trajectory) == {1: [3, 4]}


RECORDS = '[{"id":"r1","content":"likes tea"}]'


def memory(operation: str, **more: str) -> Span:
    """Return the span of an operation on an agent's memory."""
    return make_span(1, 0, genai(operation, memory__store__id="store-1", **more), name=operation)


@pytest.mark.parametrize(
    "operation",
    [
        *("create_memory_store", "delete_memory_store", "create_memory", "update_memory"),
        *("upsert_memory", "search_memory", "delete_memory"),
    ],
)
def test_work_on_a_memory_is_a_tools(operation: str) -> None:
    trajectory = extract_spans(memory(operation, memory__record__id="r1"))
    root = trajectory.root
    assert (root.name, trajectory.root_type) == (operation, "tool")
    shown = {k: root.metadata[k] for k in ("tool_kind", "memory_store", "memory_record")}
    assert shown == {"tool_kind": "memory", "memory_store": "store-1", "memory_record": "r1"}


def test_what_is_written_goes_in_and_what_is_found_comes_out() -> None:
    written = extract_spans(memory("upsert_memory", memory__records=RECORDS)).root
    assert (json.loads(written.input), written.output) == (json.loads(RECORDS), "")
    found = memory("search_memory", memory__query__text="drinks", memory__records=RECORDS)
    root = extract_spans(found).root
    assert (root.input, json.loads(root.output)) == ("drinks", json.loads(RECORDS))


def test_a_retrieval_shows_query_documents_and_how_many_were_asked_for() -> None:
    attributes = genai(
        "retrieval",
        data_source__id="H7STPQYOND",
        retrieval__query__text="wasps",
        retrieval__top_k=3,
        retrieval__documents='[{"id":"d1","content":"They sting.","score":0.9}]',
    )
    root = extract_spans(make_span(1, 0, attributes, name="retrieval H7STPQYOND")).root
    assert (root.name, root.input) == ("retrieval H7STPQYOND", "wasps")
    assert (root.metadata["tool_kind"], root.metadata["top_k"]) == ("retrieval", "3")
    assert json.loads(root.output)[0]["content"] == "They sting."


def test_a_response_that_is_fetched_again_is_no_second_call() -> None:
    again = genai("fetch_response", response__model="m", output__messages=json.dumps(TOLD))
    spans = [make_span(9, 0, end=40), make_span(1, 9, CALL), make_span(2, 9, again, start=20)]
    assert step_types(extract_spans(*spans)) == {1: "model"}


def test_a_guardrail_is_a_graph_and_no_tool_that_a_model_called() -> None:
    attributes = genai(
        "apply_guardrail",
        guardrail__component__name="Bedrock Guardrails",
        guardrail__result__type="action",
        guardrail__result__value="GUARDRAIL_INTERVENED",
    )
    agent = make_span(9, 0, genai("invoke_agent", agent__name="a"), end=40)
    trajectory = extract_spans(agent, make_span(1, 9, attributes), make_span(2, 9, CALL, start=20))
    guard = next(s for s in trajectory.agent_steps[0].steps if s.type == "graph")
    assert (guard.name, guard.metadata["tool_kind"]) == ("Bedrock Guardrails", "guardrail")
    assert guard.output == "GUARDRAIL_INTERVENED"


def test_evaluations_are_listed_with_their_span() -> None:
    event = Event(START_NS, RESULT, EVALUATION)
    trajectory = extract_spans(make_span(1, 0, CALL, events=[event]))
    assert verdict(trajectory, 1).evaluations == [
        {
            "name": "Relevance",
            "label": "relevant",
            "explanation": "to the point",
            "response_id": "chatcmpl-123",
            "score": 4.5,
        }
    ]
    assert trajectory.outcome is Outcome.OK
    assert b"evaluations" not in encode_spans(extract_spans(make_span(1, 0, CALL)))


def log(name: str, attributes: dict[str, str]) -> bytes:
    """Return a logs request with one record, which belongs to span 1."""
    listed = [{"key": k, "value": {"stringValue": v}} for k, v in attributes.items()]
    request = ExportLogsServiceRequest()
    records = request.resource_logs.add().scope_logs.add().log_records
    record = records.add(trace_id=bytes.fromhex(TRACE), span_id=(1).to_bytes(8))
    ParseDict({"eventName": name, "attributes": listed, "timeUnixNano": 9}, record)
    return request.SerializeToString()


def test_an_evaluation_in_a_log_record_is_listed_too() -> None:
    world = World()
    world.send(sent(1, attributes=CALL))
    world.send_logs(log(RESULT, EVALUATION))
    world.run(100, every=10)
    [listed] = json.loads(world.store.documents.spans(TRACE, Reach.ALL) or b"[]")
    assert (listed["evaluations"][0]["name"], listed["evaluations"][0]["score"]) == (
        "Relevance",
        4.5,
    )


def test_an_exception_in_a_log_record_is_the_calls_failure() -> None:
    world = World()
    world.send(sent(1, attributes=CALL))
    raised = {"exception.type": "openai.RateLimitError", "exception.message": "slow down"}
    world.send_logs(log("gen_ai.client.operation.exception", raised))
    world.run(100, every=10)
    [error] = world.document()["extraction"]["errors"]
    assert (error["type"], error["msg"]) == ("RateLimitError", "slow down")


def test_details_of_a_call_in_a_log_record_are_its_texts() -> None:
    world = World()
    world.send(sent(1, attributes=call()))
    details = {
        "gen_ai.input.messages": json.dumps(JOKE),
        "gen_ai.output.messages": json.dumps(TOLD),
    }
    world.send_logs(log("gen_ai.client.inference.operation.details", details))
    world.run(100, every=10)
    root = world.document()["root_step"]
    assert json.loads(root["output"])[0]["content"] == "Why did the developer …"
    assert len(json.loads(root["input"])) == 2


def a2a(number: int, parent: int, method: str, kind: str, **more: str) -> Span:
    """Return the span of an Agent2Agent request."""
    attributes = {"a2a.method.name": method, "gen_ai.conversation.id": "ctx-1", **more}
    span = make_span(number, parent, attributes, name=method, start=number, end=60 - number)
    return span._replace(kind=kind, service_name=kind)


REMOTE = genai("invoke_agent", agent__name="weather-agent")
NAMED = {"gen_ai.agent.name": "weather-agent"}


def test_a_remote_agent_and_the_requests_to_it_are_one_agent() -> None:
    client = make_span(1, 0, REMOTE, name="invoke_agent weather-agent", end=60)
    far = make_span(5, 4, REMOTE, name="invoke_agent weather-agent", start=5, end=50)
    spans = [
        client._replace(service_name="Client"),
        a2a(2, 1, "SendMessage", "Client", **NAMED),
        make_span(3, 2, name="POST /message:send", start=3, end=57),
        a2a(4, 3, "SendMessage", "Server", **NAMED),
        far._replace(service_name="Server"),
        make_span(6, 5, CALL, start=6),
        a2a(7, 1, "GetTask", "Client", **NAMED),
    ]
    trajectory = extract_spans(*spans)
    assert step_types(trajectory) == {1: "agent", 6: "model"}


def test_requests_of_a2a_alone_are_no_agents() -> None:
    spans = [
        make_span(1, 0, name="POST /message:send", end=60),
        a2a(2, 1, "SendMessage", "Server", **NAMED),
    ]
    assert rules(*spans)[2] == ("other", "a2a.request")
    calling = normalized(*spans, make_span(3, 2, CALL, start=3))
    assert str(calling[2].kind) == "agent", "nothing else reports the agent that calls the model"


def test_a_server_of_mcp_reports_arguments_and_result() -> None:
    tool = {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "get-weather",
        "gen_ai.operation.name": "execute_tool",
    }
    texts = {"gen_ai.tool.call.arguments": '{"city":"Bern"}', "gen_ai.tool.call.result": "rain"}
    agent = make_span(1, 0, genai("invoke_agent", agent__name="a"), end=60)
    client = make_span(2, 1, tool, name="tools/call get-weather", start=1, end=40)
    server = make_span(3, 2, {**tool, **texts}, name="tools/call get-weather", start=2, end=30)
    [step] = extract_spans(agent, client, server._replace(kind="Server")).agent_steps[0].steps
    assert (step.name, step.input, step.output) == ("get-weather", '{"city":"Bern"}', "rain")


def test_an_agent_as_a_tool_is_a_tool_around_the_agent() -> None:
    transfer = genai(
        "execute_tool",
        tool__name="transfer_to_weather_agent",
        agent__name="source",
        transfer__target__name="weather_agent",
    )
    spans = [
        make_span(1, 0, genai("invoke_agent", agent__name="source"), end=60),
        make_span(2, 1, transfer, start=1, end=50),
        make_span(3, 2, genai("invoke_agent", agent__name="target"), start=2, end=40),
        make_span(4, 3, CALL, start=3),
    ]
    assert step_types(extract_spans(*spans)) == {1: "agent", 2: "tool", 3: "agent", 4: "model"}
