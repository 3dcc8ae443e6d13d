"""Langfuse's ingestion API: events that tell of an observation piece by piece."""
