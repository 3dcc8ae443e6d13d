"""The kind ``judge``: a model reads a run and judges it by criteria in natural language.

In: a subject and a configuration; out: one result. Prompts, answers and votes are pure; requests
reach a model through one port, ``port.SendPrompt``. Start with ``kind.py``.
"""
