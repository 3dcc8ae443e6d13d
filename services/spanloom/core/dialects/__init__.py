"""Contains one module per dialect; a dialect reads the spans of one convention.

Input: stored spans. Output for each span: its classification, with the name of the rule that
decided, and its facts (texts, names, tokens), in the same form for every convention. Start with
``base.py``, which defines the interface of a dialect and the order in which dialects are tried. If
frameworks use a convention differently, its dialect is a package with a module per framework.
"""
