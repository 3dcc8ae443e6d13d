"""Scores that came with telemetry: read from evaluation results, and written as such."""
