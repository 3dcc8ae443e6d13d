"""ATIF, the Agent Trajectory Interchange Format that Harbor reads: one JSON trajectory per run.

Input: a stored run, or an ATIF trajectory in a version from 1.0 to 1.8. Output: an ATIF trajectory
in version 1.8, or a canonical document. Start with ``writing.py`` and ``reading.py``. In ATIF a
message is a step, a model call is a step that contains its tool calls and their results, and inner
agents are ``subagent_trajectories`` to which a result refers. Facts that ATIF cannot express are in
``extra``: ids of steps, errors, the type of the root.
"""
