"""Scores in telemetry: read from evaluation results, and written as evaluation results.

In: events and attributes of spans, or scores. Out: scores with their places, or OTLP. Start with
``results.py`` (reading), then ``placing.py`` (which step a score is of) and ``otlp.py`` (writing).
"""
