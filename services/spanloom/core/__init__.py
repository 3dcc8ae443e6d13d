"""The pure core: what a span, a dialect and a trajectory are.

In: spans of a trace, stored documents, queries, files of other systems. Out: trajectories, answers,
files. Nothing in here reads a clock, the environment, a file or the network, and nothing logs.
Start with ``extract.py`` (spans to a trajectory) and ``ports`` (what the store implements).
"""
