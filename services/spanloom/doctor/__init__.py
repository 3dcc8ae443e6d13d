"""Examines a data directory, a running service or a server: facts in, findings out."""
