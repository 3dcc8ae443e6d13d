"""The subject of a judgement: a run, as a document or as messages, and the expected answer.

In: values of a caller. Out: a ``Subject``. Start with ``subject.py``.
"""
