"""The canonical document, and code that all formats for runs share: pure functions over JSON.

Input: the stored canonical document, or a record of a file. Output: the document in another format,
or a canonical document. Start with ``registry.py``, which lists all formats; ``entry.py`` has their
type. Formats of other systems are in ``core/exchange``.
"""
