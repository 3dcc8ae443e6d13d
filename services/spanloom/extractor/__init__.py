"""Builds trajectories of changed traces.

In: spans in the store, and the store's list of changes. Out: trajectories, progress, announcements.
Start at ``extractor.py`` (the loop), then ``batch.py`` (one batch, from spans to trajectories).
"""
