"""Annotations, their schemes, files, agreement, queues and scores.

Comes in: marks of a named annotator, or a file. Goes out: annotations with their states.
Start with ``trajectory_annotations``.
"""
