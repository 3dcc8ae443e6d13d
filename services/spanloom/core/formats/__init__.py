"""Formats in which runs are written and read: pure functions over JSON.

Input: the stored canonical document, or a value of a file. Output: the document in another format,
or a canonical one. Start with ``registry``, which lists all formats; ``entry`` is their type.
Formats of other systems are in ``core/exchange``.
"""
