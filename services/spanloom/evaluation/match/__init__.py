"""Trajectory match: compares the calls of a run with the calls of a reference.

In: a run and its reference. Out: one boolean with precision, recall, F1 and order, and a
description of the first difference. Start with ``kind.py``; ``docs/evaluation/match.md`` defines
the modes.
"""
