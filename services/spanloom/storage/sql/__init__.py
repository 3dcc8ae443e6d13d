"""SQL of users on the embedded engine: statements in, answers out; start with ``engine``."""
