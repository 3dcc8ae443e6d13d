"""Formats of other systems: one package each, which writes a stored run and reads a file.

In: a stored run (``stored.py``), or the JSON values of a file (``values.py``). Out: bytes of the
other format, or canonical documents (``drafts.py`` completes them), and a list of losses
(``losses.py``). Pure functions: no store, no network. Start at ``formats/registry.py``, which
declares every format, and at ``docs/formats/README.md``, which names what each maps to.
"""
