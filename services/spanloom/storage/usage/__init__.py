"""How much is stored of each project: a limit in, bytes by project out; start with ``store``."""
