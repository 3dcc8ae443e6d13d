"""Builds the trajectories of changed traces.

Input: spans and changes in the store. Output: trajectories, the progress with each trace, and
announcements in the change feed. Start at ``extractor.py`` (the loop), then ``batch.py`` (one
batch, from spans to trajectories).
"""
