"""Evaluators written in Python: callables of the caller, and files run in a separate process.

In: a document and its expected values. Out: one result. Start with ``callables.py`` and
``kind.py``; ``answers.py`` parses the values that the code returns.
"""
