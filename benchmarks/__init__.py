"""The costs of Spanloom, measured as ratios within one run: ``python -m benchmarks``."""
