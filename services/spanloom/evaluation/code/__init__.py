"""Evaluators written in Python: callables in the caller's process, and files in another process.

In: a document and its expected values. Out: one result. Start with ``callables.py`` and
``kind.py``; ``answers.py`` parses the values that the code returns.
"""
