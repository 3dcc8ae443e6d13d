"""The rules for annotations, as pure functions: no clock, no storage.

Input: schemes as text, annotations, the events of queues, documents. Output: scores, states of
annotations, agreement, assignments. Start at ``scheme.py`` (the questions for annotators) and
``marks.py`` (edits and scores).
"""
