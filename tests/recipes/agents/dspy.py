"""Sends one question to a model through DSPy."""

import dspy

dspy.LM("openai/gpt-4o-mini", cache=False)("What is the weather in Oslo?")
