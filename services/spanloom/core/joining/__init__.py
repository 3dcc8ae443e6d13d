"""Joins the traces of a coding agent's run, because such an agent sends several for one run.

Input: a trace, and the other traces of its conversation. Output: the trace as part of a run
(``parts.py``), and the trace that shows the whole run (``homes.py``). Start with ``parts.py``.
"""
