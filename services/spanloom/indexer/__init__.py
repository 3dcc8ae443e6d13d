"""The indexer: fills the full-text index of runs, independently of extraction.

In: new versions of trajectories, by the store's clock. Out: their texts in the index.
Start at ``indexer.py``.
"""
