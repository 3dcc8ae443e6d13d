"""The subject of a judgement: a run, as a document or as messages, and the expected answer.

In: values that a caller passes. Out: a ``Subject``. Start with ``subject.py``.
"""
