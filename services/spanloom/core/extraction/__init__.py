"""Build a trajectory from normalized spans: pure functions that know no convention."""
