"""Building in processes of their own: more than one core, and the store stays where it is.

The process that has the store open moves bytes: the rows of spans to a worker, ready rows back.
What lies between is the same pure code that builds in process (``extractor/drafts.py``), so a
worker that dies, hangs or runs out of memory costs time and nothing else. See ADR 34.
"""
