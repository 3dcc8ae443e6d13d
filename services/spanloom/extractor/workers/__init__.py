"""Builds traces in worker processes, on more than one core; only their owner has the store open.

Input: rows of spans as bytes. Output: encoded rows to store, by the same pure code that builds in
process (``extractor/drafts.py``), so a worker that dies, hangs or runs out of memory costs only
time. Start at ``pipeline.py`` (the owner's side), then ``child.py`` (the worker). See ADR 34.
"""
