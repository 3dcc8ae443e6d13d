"""Trajectories in ClickHouse: documents, lists, steps and calls.

In come records of trajectories, each a row in several tables; out come documents and lines of
lists. Start with ``store`` for writing, ``lists`` and ``documents`` for reading.
"""
