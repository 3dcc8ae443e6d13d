"""Reads scores from evaluation results in telemetry, and writes scores as evaluation results.

Input: events and attributes of spans, or scores. Output: scores with their steps, or OTLP. Start
with ``results.py`` (reading), then ``placing.py`` (finding the step of a score) and ``otlp.py``
(writing).
"""
