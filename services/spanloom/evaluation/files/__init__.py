"""Judges many runs with the evaluators and gates in a file: ``spanloom eval`` without its I/O.

In: the text of ``eval.yaml``, runs, items of a dataset. Out: rows of results, decisions of gates,
reports as JSON, JUnit and Markdown, and the comparison of two reports. Start with
``config/reading.py``, then ``judging.py`` and ``outcome.py``.
"""
