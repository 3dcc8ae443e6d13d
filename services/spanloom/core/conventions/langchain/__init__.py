"""Read LangChain's and LangGraph's runs from metadata and structure, for every convention.

Input: a span with its trace, from a dialect. Output: what the run is, its names and texts. Start
with ``run.py`` (agents and graphs by metadata); ``shape.py`` is for runs without metadata.
"""
