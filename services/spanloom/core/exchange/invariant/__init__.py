"""Invariant: datasets of Explorer, lists of messages, and requests of its SDK.

Input: a stored run, or lines of a dataset. Output: a line for each agent, or canonical documents
and scores. Start with ``writer`` and ``reader``; ``scores`` reads the annotations of lines.
"""
