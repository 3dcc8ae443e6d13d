"""Logfire: its clients and the frameworks that it instruments."""
