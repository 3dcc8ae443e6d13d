"""File and response formats of trajectories: one module per format, by name in ``registry``.

In: extracted trajectories, stored canonical documents, or documents to import.
Out: bytes of the canonical format and of other formats; spans that carry an imported document.
Start with ``canonical`` (the stored format) and ``registry`` (all formats by name).
"""
