"""Sends one question to a model of Anthropic."""

from anthropic import Anthropic

question = {"role": "user", "content": "What is the weather in Oslo?"}
Anthropic().messages.create(model="claude-sonnet-4-5", max_tokens=100, messages=[question])
