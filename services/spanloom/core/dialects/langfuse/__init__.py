"""Langfuse: its SDKs' observations."""
