"""Value types shared by all rooms: spans in, trajectories out, annotations, scores, keys.

In and out: nothing is read or written here; a module has the types of one subject and what they can
compute of themselves. Start with ``span.py`` and ``trajectory.py``.
"""
