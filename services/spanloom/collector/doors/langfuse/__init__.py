"""Langfuse's ingestion API, in which several events describe one observation.

Input: ``POST /api/public/ingestion`` with a batch of events. Output: OTLP spans and an HTTP status
for each event. Start at ``ingestion.py``; ``observations.py`` merges the events on disk.
"""
