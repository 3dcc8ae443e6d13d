"""Lists of chat messages: what the formats that consist of them share.

``writing.py`` tells a run as messages, ``reading.py`` makes a draft of messages. The shape is that
of ``core/model/message.py``.
"""
