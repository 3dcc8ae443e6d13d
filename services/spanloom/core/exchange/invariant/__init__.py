"""Invariant: datasets of Explorer, lists of messages, and requests of its SDK.

In: a stored run, or lines of a dataset. Out: a line for each agent, or canonical documents and
scores. Start with ``writer`` and ``reader``; ``scores`` reads the annotations of lines.
"""
