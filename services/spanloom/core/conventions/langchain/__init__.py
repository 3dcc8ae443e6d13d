"""Read LangChain's and LangGraph's runs, which many conventions report: metadata, shape, usage.

In: a span with its trace, from a dialect. Out: what the run is, its names and texts. Start with
``run.py`` (agents and graphs by metadata); ``shape.py`` is for runs without.
"""
