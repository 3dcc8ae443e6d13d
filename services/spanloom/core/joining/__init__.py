"""Joins the traces of one run of a coding agent, which sends several.

``parts`` finds the run that a trace is a part of, ``homes`` the trace that shows the whole run.
"""
