"""The pure core: what a span, a dialect and a trajectory are.

Input: spans of a trace, stored documents, queries, files of other systems. Output: trajectories,
answers, files. No module in this package logs, or reads a clock, the environment, a file or the
network. Start with ``extract.py`` (spans to a trajectory) and ``ports`` (what the store
implements).
"""
