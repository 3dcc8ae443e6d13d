"""A run as rows for whoever shows it: one row a stored span, in the order of a tree.

``rows`` makes them of a document and what became of each span, ``columns`` writes them as bytes;
``previews``, ``find`` and ``graph`` speak of the same rows by their numbers. The format and why:
docs/adr/038-a-viewer-without-a-build.md.
"""
