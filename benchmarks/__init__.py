"""What Spanloom costs, measured as ratios of one run: ``python -m benchmarks``."""
