"""How a trajectory is written: one file per format, found by name in ``registry``."""
