"""ATIF, the Agent Trajectory Interchange Format that Harbor reads: one document for each run.

In: a stored run, or a document of versions 1.0 to 1.8. Out: a document of version 1.8, or a
canonical one. Start with ``writing.py`` and ``reading.py``. A message is a step, a model call is a
step with its tool calls and their results, and inner agents are ``subagent_trajectories`` to which
a result refers. Facts that only Spanloom has are in ``extra``: ids of steps, errors, the type of
the root.
"""
