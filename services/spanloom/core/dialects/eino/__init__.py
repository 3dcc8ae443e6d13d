"""Eino: its three callbacks."""
