"""Trajectories in ClickHouse: documents, lists, steps and calls.

Input: records of trajectories, each a row in several tables. Output: documents and lines of lists.
Start with ``store`` for writing, ``lists`` and ``documents`` for reading.
"""
