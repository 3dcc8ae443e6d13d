"""The texts of steps in one shape, whatever dialect they came in.

Dialects hand over texts as their spans have them. ``steps`` shows a model call's as a list of
messages (``core/model/message.py``), a tool's as arguments and result, an agent's as request and
answer; ``envelopes`` finds the messages, ``message`` reads one, ``parts`` its content. What is
not understood is kept as it is; what comes out goes in unchanged.
"""
