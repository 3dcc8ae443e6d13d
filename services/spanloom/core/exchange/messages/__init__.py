"""Lists of chat messages: the code shared by formats that consist of them.

Input: a stored run, or messages in the shape of ``core/model/message.py``. Output: messages, or a
draft of a document. Start with ``writing.py`` and ``reading.py``.
"""
