"""Haystack's own tracing, alone and inside OpenLLMetry's spans."""

from __future__ import annotations

from tests.support.spans import chat, extract_spans, make_span, normalized, owners, rules, verdict

AROUND = "opentelemetry.instrumentation.haystack"
PIPELINE = "haystack.pipeline.run"
WORKFLOW = {"traceloop.span.kind": "workflow", "traceloop.entity.name": "haystack_pipeline"}
COMPONENT = {"haystack.component.name": "planner"}


def test_a_pipeline_reported_twice_is_one_graph() -> None:
    spans = [
        make_span(1, 0, WORKFLOW, name="haystack_pipeline.workflow", scope=AROUND, end=9),
        make_span(2, 1, {}, name=PIPELINE, scope="haystack", start=1, end=8),
    ]
    assert [said[0] for said in rules(*spans).values()] == ["graph", "graph"]
    assert verdict(extract_spans(*spans), 2).step_id == spans[0].span_id


def test_haystacks_own_spans_stand_alone() -> None:
    spans = [
        make_span(1, 0, {"haystack.pipeline.input_data": "a"}, name=PIPELINE, scope="haystack"),
        make_span(2, 1, COMPONENT, name="haystack.component.run", scope="haystack", start=1),
        make_span(3, 2, {}, name="haystack.agent.run", scope="haystack", start=2),
        make_span(4, 3, chat(1, 2), start=3),
    ]
    found = normalized(*spans)
    assert [found[n].kind for n in (1, 2, 3)] == ["graph", "other", "agent"]
    assert (found[3].facts.agent_name, found[1].facts.input) == ("planner", "a")
    assert owners(extract_spans(*spans))[3] == [4]


def test_an_agent_without_a_pipeline_has_no_name() -> None:
    found = normalized(make_span(1, 0, {}, name="haystack.agent.run", scope="haystack"))
    assert (found[1].kind, found[1].rule) == ("agent", "haystack.agent")


def test_the_name_of_a_field_is_no_answer() -> None:
    said = {"llm.request.type": "chat", "gen_ai.completion.0.content": "replies"}
    outer = make_span(1, 0, said, name="haystack.openai.chat", scope=AROUND, end=9)
    answer = {"gen_ai.output.messages": '[{"role": "assistant", "content": "b"}]'}
    told = {**chat(1, 2), **answer}
    inner = make_span(2, 1, told, name="openai.chat", start=1, end=8)
    call = extract_spans(outer, inner).agent_steps[0].steps[0]
    assert call.output == '[{"role":"assistant","content":"b"}]'
