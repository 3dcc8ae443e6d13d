"""Many runs into a file, and files back into a service; for ``spanloom export`` and ``import``."""
