"""Scores in telemetry: read from evaluation results, and written as evaluation results."""
