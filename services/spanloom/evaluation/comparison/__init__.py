"""Compares the behaviour of two sets of runs: what changed, by how much, and in which runs.

In: the documents of two sets. Out: differences with intervals, corrected for many comparisons, each
with the ``where`` that finds its runs. Start with ``behaviour.py``; ``features.py`` declares the
compared properties.
"""
