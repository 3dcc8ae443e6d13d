"""Asks a model through LiteLLM once."""

import litellm

question = {"role": "user", "content": "What is the weather in Oslo?"}
litellm.completion(model="openai/gpt-4o-mini", messages=[question])
