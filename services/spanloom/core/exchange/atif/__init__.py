"""ATIF, the Agent Trajectory Interchange Format that Harbor reads: one document for each run.

Input: a stored run, or a document of versions 1.0 to 1.8. Output: a document of version 1.8, or a
canonical document. Start with ``writing.py`` and ``reading.py``. A message is a step, a model call
is a step with its tool calls and their results, and inner agents are ``subagent_trajectories`` to
which a result refers. Facts that ATIF cannot express are in ``extra``: ids of steps, errors, the
type of the root.
"""
