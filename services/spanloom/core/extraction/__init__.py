"""Build a trajectory from normalized spans: pure functions that know no convention.

In: the tree of a trace, with what dialects and ``duplicates`` say of each span. Out: a trajectory.
Start with ``build.py``, then ``steps.py`` (which spans are steps, and whose).
"""
