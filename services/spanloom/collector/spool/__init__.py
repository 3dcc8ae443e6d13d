"""Accepted requests on disk until the store has them."""
