"""One module per dialect, which reads the spans of one convention.

Input: stored spans. Output for each span: a classification, with the name of the rule that
decided, and its contents as ``Facts``, the same form for every convention. Start with ``base.py``,
which defines what a dialect declares, finds the modules that export ``DIALECTS``, and orders them.
A convention that frameworks use in their own ways is a package with a module for each framework.
"""
