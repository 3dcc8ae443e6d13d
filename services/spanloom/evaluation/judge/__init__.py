"""The kind ``judge``: a model reads a run and judges it by criteria in natural language.

In: a subject and a configuration. Out: one result. Only ``port.SendPrompt`` sends requests to a
model; all other code builds prompts, parses answers and combines votes. Start with ``kind.py``.
"""
