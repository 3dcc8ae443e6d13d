"""Builds trajectories of changed traces.

Input: spans in the store, and the store's list of changes. Output: trajectories, progress,
announcements. Start at ``extractor.py`` (the loop), then ``batch.py`` (one batch, from spans to
trajectories).
"""
