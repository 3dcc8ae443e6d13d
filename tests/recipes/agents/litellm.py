"""Sends one question to a model through LiteLLM."""

import litellm

question = {"role": "user", "content": "What is the weather in Oslo?"}
litellm.completion(model="openai/gpt-4o-mini", messages=[question])
