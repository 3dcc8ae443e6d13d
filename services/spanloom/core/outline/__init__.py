"""The outline of a run: one row per stored span, in the preorder of the tree.

In: a canonical document and the list of span verdicts of the same version.
Out: rows; their bytes (``columns``); previews, matches and a graph that refer to row numbers.
Start with ``rows`` and ``view``. The format: docs/adr/038-a-viewer-without-a-build.md.
"""
