"""Trajectories in ClickHouse: documents, lists, steps and progress."""
