"""Builds traces in worker processes, on more than one core; only their owner has the store open.

The owner is the process that starts the workers. A worker receives rows of spans as bytes, and
returns encoded rows to store. It uses the same pure code as a build in the owner's process
(``extractor/drafts.py``), so if a worker dies, hangs or runs out of memory, the owner builds its
traces. Start at ``pipeline.py`` (the owner's side), then ``child.py`` (the worker). See ADR 34.
"""
