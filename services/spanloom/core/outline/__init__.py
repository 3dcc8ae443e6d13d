"""The outline of a run: one row per stored span, in the preorder of the tree.

Input: a canonical document, and the classified spans of the same version.
Output: rows, encoded as bytes (``columns.py``); previews, matches and a graph with row numbers.
Start with ``rows.py`` and ``view.py``. The format: docs/adr/038-a-viewer-without-a-build.md.
"""
