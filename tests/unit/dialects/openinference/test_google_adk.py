"""Google's ADK under OpenInference: its spans around ADK's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.spans import extract_spans, make_span, openinference, owners, rules

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "openinference.instrumentation.google_adk"
ADK = "gcp.vertex.agent"
CALLED = {
    **openinference("LLM"),
    "llm.token_count.prompt": "7",
    "gen_ai.operation.name": "generate_content",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "How is Rome?",
}


def run(at: int, parent: int, name: str) -> Span:
    return make_span(at, parent, openinference("AGENT"), name=f"agent_run [{name}]", scope=SCOPE)


def test_a_model_call_written_onto_the_agents_run_is_none() -> None:
    spans = [
        run(1, 0, "b"),
        make_span(2, 1, CALLED, name="invoke_agent b", scope=ADK),
        make_span(3, 2, openinference("LLM"), name="acompletion", start=1),
        make_span(4, 2, openinference("LLM"), name="acompletion", start=2),
    ]
    assert rules(*spans)[2] == ("agent", "google_adk.same_run")
    found = extract_spans(*spans)
    assert owners(found) == {1: [3, 4]}
    assert found.agent_steps[0].step.input == "How is Rome?"
    assert found.root_metrics.input_tokens == 0


def test_what_only_runs_agents_is_a_graph() -> None:
    spans = [
        run(1, 0, "flow"),
        make_span(
            2, 1, {"gen_ai.operation.name": "invoke_agent"}, name="invoke_agent flow", scope=ADK
        ),
        run(3, 2, "b"),
        make_span(4, 3, CALLED, name="invoke_agent b", scope=ADK),
    ]
    assert rules(*spans)[1] == ("graph", "openinference_google_adk.workflow_agent")
    assert rules(*spans)[2] == ("graph", "google_adk.same_run")
    assert rules(*spans)[3] == ("agent", "openinference_google_adk.agent_run")
