"""Reads the state of a store for `spanloom doctor`: in, a URL; out, ``StoreState``."""
