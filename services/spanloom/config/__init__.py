"""The definition of every option: name, default, meaning, section and environment variable.

Flags, ``SPANLOOM_…`` environment variables and the table of ``docs/configuration.md`` are derived
from these fields; tests keep the three equal. Each section is a class; ``Settings`` combines them
all, flat. Start at ``settings.py``, then ``loading.py``.
"""
