"""Lists of chat messages: the code shared by formats that consist of them.

``writing.py`` writes a run as messages, ``reading.py`` makes a draft of messages. The shape is that
of ``core/model/message.py``.
"""
