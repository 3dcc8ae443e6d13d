"""Asks a model through DSPy once."""

import dspy

dspy.LM("openai/gpt-4o-mini", cache=False)("What is the weather in Oslo?")
