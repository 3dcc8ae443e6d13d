"""Invariant: dataset files of its Explorer, lists of messages, and requests of its SDK.

Input: a stored run, or the lines of a dataset file. Output: a line for each agent, or canonical
documents and scores. Start with ``writer.py`` and ``reader.py``; ``scores.py`` reads the
annotations in lines.
"""
