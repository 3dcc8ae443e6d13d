"""Haystack under OpenInference: pipelines, the agent component, and builders of prompts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.spans import make_span, normalized, openinference, rules

if TYPE_CHECKING:
    from collections.abc import Mapping

SCOPE = "openinference.instrumentation.haystack"
PIPELINE = ("graph", "openinference_haystack.pipeline")
AGENT = ("agent", "openinference_haystack.agent_component")
BUILDER = ("other", "openinference_haystack.prompt_builder")
TEMPLATE = {"llm.prompt_template.template": "{{x}}"}
MESSAGES = {"llm.input_messages.0.message.content": "x"}


@pytest.mark.parametrize(
    ("name", "attributes", "expected"),
    [
        ("Pipeline.run", openinference("CHAIN"), PIPELINE),
        ("AsyncPipeline.run_async", {}, PIPELINE),
        ("Agent.run", openinference("CHAIN"), AGENT),
        ("Agent.run", {}, AGENT),
        ("Bcd.run", openinference("CHAIN", output__value='{"last_message": "x"}'), AGENT),
        (
            "Super.run",
            openinference("CHAIN", output__value='{"agent": {"last_message": "x"}}'),
            ("other", "openinference.plumbing"),
        ),
        ("ChatPromptBuilder.run", openinference("CHAIN"), ("other", "openinference.plumbing")),
        ("PromptBuilder.run", {**openinference("LLM"), **TEMPLATE}, BUILDER),
        (
            "Generator.run",
            {**openinference("LLM"), **TEMPLATE, **MESSAGES},
            ("model", "openinference.kind_llm"),
        ),
        ("Retriever.run", openinference("RETRIEVER"), ("tool", "openinference.kind_retriever")),
    ],
)
def test_marks(name: str, attributes: Mapping[str, str], expected: tuple[str, str]) -> None:
    assert rules(make_span(1, 0, attributes, name=name, scope=SCOPE))[1] == expected


def repr_of(role: str, text: str) -> str:
    """Return the ``repr`` of a message, as Haystack's class writes it."""
    return f"ChatMessage(_role=<ChatRole.{role}: 'x'>, _content=[TextContent(text={text!r})])"


@pytest.mark.parametrize(
    ("input_value", "output_value", "expected"),
    [
        (
            json.dumps({"messages": [repr_of("USER", "it's me"), repr_of("ASSISTANT", "oh")]}),
            json.dumps({"last_message": repr_of("ASSISTANT", "hello")}),
            ("it's me", "hello"),
        ),
        ('{"messages": ["x", 5]}', '{"last_message": "cut (text=\'of"}', None),
        ('{"messages": 5}', '{"last_message": 5}', None),
        ("hi", "hello", ("hi", "hello")),
    ],
)
def test_an_agent_s_texts_are_taken_out_of_reprs(
    input_value: str, output_value: str, expected: tuple[str, str] | None
) -> None:
    attributes = openinference("CHAIN", input__value=input_value, output__value=output_value)
    facts = normalized(make_span(1, 0, attributes, name="Agent.run", scope=SCOPE))[1].facts
    assert (facts.input, facts.output) == (expected or (input_value, output_value))
