"""File formats of other systems: each package writes stored runs in a format and reads its files.

Input: a stored run (``formats/stored.py``), or the records of a file (``values.py``). Output:
bytes in the other format, or canonical documents (``drafts.py`` completes them), and the losses,
which are the facts that the other side cannot hold (``formats/losses.py``). Pure functions: no
store, no network. Start at ``formats/registry.py``, which declares every format.
``docs/formats/README.md`` describes the mappings.
"""
