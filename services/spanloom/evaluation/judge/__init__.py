"""The kind ``judge``: a model reads a run and judges it by criteria in words.

In: a subject and a configuration; out: one result. What is pure (the prompt, the answer, the votes)
reaches a model through one port, ``port.Ask``. Start with ``kind.py``.
"""
