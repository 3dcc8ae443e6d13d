"""Joins the traces of one run of a coding agent, which sends several.

In: a trace, and the others of its conversation. Out: the run that it is a part of (``parts``), and
the trace that shows the whole run (``homes``). Start with ``parts.py``.
"""
