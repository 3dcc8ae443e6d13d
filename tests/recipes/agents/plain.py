"""An agent without a framework, which calls its model twice and its tool once."""

import json

begin = globals()["begin"]  # the recipe defines it
MODEL = "gpt-4o-mini"


def call(asked: str, answered: str, tokens: tuple[int, int]) -> None:
    """Record a model call as a span with its messages and token counts."""
    counts = dict(
        zip(("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"), tokens, strict=True)
    )
    with begin("chat", MODEL, {"gen_ai.request.model": MODEL, **counts}) as span:
        for side, role, text in (("input", "user", asked), ("output", "assistant", answered)):
            said = [{"role": role, "parts": [{"type": "text", "content": text}]}]
            span.set_attribute(f"gen_ai.{side}.messages", json.dumps(said))


with begin("invoke_agent", "forecaster", {"gen_ai.agent.name": "forecaster"}):
    call("What is the weather in Oslo?", "I ask for it.", (41, 13))
    with begin("execute_tool", "weather", {"gen_ai.tool.name": "weather"}) as tool:
        tool.set_attribute("gen_ai.tool.call.arguments", '{"city": "Oslo"}')
        tool.set_attribute("gen_ai.tool.call.result", "sunny, 7 degrees")
    call("What is the weather in Oslo?", "It is sunny in Oslo.", (67, 17))
