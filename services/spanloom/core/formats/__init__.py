"""Formats in which runs are written and read: one file each, pure functions over JSON.

In: the stored canonical document, or a value of a file. Out: the document in another format, or a
canonical one. Start at ``registry``, which lists the formats of all rooms; ``entry`` is their type.
"""
