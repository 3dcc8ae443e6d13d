"""Langfuse's ingestion API, whose events describe an observation piece by piece.

In: ``POST /api/public/ingestion`` with a batch of events. Out: OTLP spans and a status per event.
Start at ``ingestion.py``; ``observations.py`` merges the events on disk.
"""
