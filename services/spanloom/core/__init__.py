"""The pure core: models and rules for spans, dialects and trajectories, without I/O.

Input: the spans of a trace, stored documents, queries, files of other systems. Output:
trajectories, query results, files. No module in this package logs, or reads a clock, the
environment, a file or the network. Start with ``extract.py`` (from spans to a trajectory) and
``ports`` (the interfaces that the store implements).
"""
