"""Convert the inputs and outputs of steps to one shape, from any dialect.

Dialects return texts as the spans have them. ``steps`` converts a model call's to a list of
messages (``core/model/message.py``), a tool's to arguments and result, an agent's to request and
answer; ``envelopes`` finds the messages, ``message`` converts one, ``parts`` its content. Unknown
forms are kept unchanged; converting a result again does not change it.
"""
