"""Routes for runs: lists, documents, steps, outlines, spans, conversations, comparisons.

In: a trace id, or filters of a list. Out: stored documents, parts of them, or rows. Start at
``trajectories.py`` (the list), then ``documents.py`` (one run).
"""
