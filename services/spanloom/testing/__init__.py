"""The pytest plugin: captures the runs of agents in tests, and judges them.

In: spans that a test makes in its process or sends to a receiver on loopback. Out: trajectories,
and failures of assertions that name the step. There is no server and no store. Start with
``plugin.py``, which pytest loads in every session that finds this package; therefore it imports
nothing until a fixture or the mark is used.
"""
