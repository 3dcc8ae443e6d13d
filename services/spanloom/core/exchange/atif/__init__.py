"""ATIF, the Agent Trajectory Interchange Format that Harbor reads: one document for each run.

A message is a step, a model call is a step with its tool calls and their results, and inner agents
are ``subagent_trajectories`` to which a result refers. ``writing.py`` writes version 1.8,
``reading.py`` reads 1.0 to 1.8. Facts that only Spanloom has are in ``extra``: ids of steps,
errors, the type of the root.
"""
