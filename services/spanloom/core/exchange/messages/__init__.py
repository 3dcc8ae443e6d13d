"""Code shared by formats in which a run is a list of chat messages.

Input: a stored run, or messages in the shape of ``core/model/message.py``. Output: messages, or a
draft of a document. Start with ``writing.py`` and ``reading.py``.
"""
