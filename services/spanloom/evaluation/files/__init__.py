"""A file of evaluators and gates, judged over many runs: ``spanloom eval``, without its I/O.

In: the text of ``eval.yaml``, runs, items of a dataset. Out: rows of results, gates that are
decided, reports as JSON, JUnit and Markdown, and the comparison of two reports. Start with
``config/reading.py``, then ``judging.py`` and ``outcome.py``.
"""
