"""Formats of other systems: one package per format, which writes a stored run and reads a file.

Input: a stored run (``stored.py``), or the JSON values of a file (``values.py``). Output: bytes of
the other format, or canonical documents (``drafts.py`` completes them), and a list of losses
(``losses.py``). Pure functions: no store, no network. Start at ``formats/registry.py``, which
declares every format. ``docs/formats/README.md`` describes the mappings.
"""
