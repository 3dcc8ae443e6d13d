"""Reads LangChain's and LangGraph's runs from metadata and structure, for every convention.

Input: a span with its trace, from a dialect. Output: the kind of the run, its names and its texts.
Start with ``run.py`` (agents and graphs by metadata); ``shape.py`` is for runs without metadata.
"""
