"""What a store tells of its own state: for `spanloom doctor`."""
