"""Statistics of evaluation: intervals, exact tests, resampling, agreement.

In: counts or numbers. Out: estimates with 95 % intervals, and p-values. All of it is deterministic:
random draws take a seed, and the same input gives the same floats on any machine. Start
with ``proportions.py`` and ``resampling.py``; reports and ``spanloom.evaluation`` call the same
functions.
"""
