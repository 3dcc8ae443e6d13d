"""SQL from outside, on the embedded engine."""
