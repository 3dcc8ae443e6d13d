"""Asks a model of OpenAI once."""

from openai import OpenAI

question = {"role": "user", "content": "What is the weather in Oslo?"}
OpenAI().chat.completions.create(model="gpt-4o-mini", messages=[question])
