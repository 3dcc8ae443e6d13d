"""Evaluators written in Python: callables of the caller, and files run in a process of their own.

In: a document and what is expected. Out: one result. Start with ``callables.py`` and ``kind.py``;
``answers.py`` reads what the code returns.
"""
