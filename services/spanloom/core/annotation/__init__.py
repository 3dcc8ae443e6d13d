"""The rules of annotation as pure functions: no clock, no storage.

Input: scheme texts, annotations, queue events, documents. Output: scores, states, agreement,
assignments. Start at ``scheme.py`` (the questions for annotators) and ``marks.py`` (edits and
scores).
"""
