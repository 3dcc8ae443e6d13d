"""One run and lists of runs: documents, steps, outlines, versions, comparisons.

Comes in: an id or a question. Goes out: stored documents, or parts of them. Start with
``trajectories``.
"""
