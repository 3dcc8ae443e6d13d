"""The pytest plugin: captures the runs of agents in tests, and judges them.

In: spans that a test creates in its process, or that other processes send to a receiver on
loopback. Out: trajectories, and assertion errors that name the step. There is no server and no
store. Start with ``plugin.py``, which pytest loads in every session in which this package is
installed; therefore it imports nothing until a fixture or the marker is used.
"""
