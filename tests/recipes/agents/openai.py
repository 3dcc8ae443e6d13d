"""Asks a model of OpenAI once, under a span of its own, as the recipe's note has it."""

from openai import OpenAI

provider = globals()["provider"]  # the recipe makes it
question = {"role": "user", "content": "What is the weather in Oslo?"}
with provider.get_tracer("my-agents").start_as_current_span("planner"):
    OpenAI().chat.completions.create(model="gpt-4o-mini", messages=[question])
