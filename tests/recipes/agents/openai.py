"""Sends a question to a model of OpenAI, inside a span of its own as the recipe's note advises."""

from openai import OpenAI

provider = globals()["provider"]  # defined by the recipe
question = {"role": "user", "content": "What is the weather in Oslo?"}
with provider.get_tracer("my-agents").start_as_current_span("planner"):
    OpenAI().chat.completions.create(model="gpt-4o-mini", messages=[question])
