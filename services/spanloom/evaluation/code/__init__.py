"""Evaluators that are Python code: callables of the caller, and files that run in a process apart.

In: a document and what is expected. Out: one result. Start with ``callables.py`` and ``kind.py``;
``answers.py`` reads what the code returns.
"""
