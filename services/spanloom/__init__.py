"""OTLP spans in, agent trajectories out."""

__version__ = "0.1.0"
