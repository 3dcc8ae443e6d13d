"""What is judged: a run, given as a document or as messages, and what is expected of it.

In: the values that a caller has. Out: a ``Subject``. Start with ``subject.py``.
"""
