"""The rules of annotation as pure functions: no clock, no storage.

In: scheme texts, marks, queue events, documents. Out: scores, states, agreement, assignments.
Start at ``scheme.py`` (what annotators decide on) and ``marks.py`` (edits and scores).
"""
