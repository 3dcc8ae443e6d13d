"""Convert the inputs and outputs of steps to one shape, from any dialect.

In: texts as the spans have them. Out: messages of a model call (``core/model/message.py``),
arguments and result of a tool, request and answer of an agent. Start with ``steps``; ``envelopes``
finds the messages, ``message`` converts one, ``parts`` its content. Unknown forms are kept
unchanged; converting a result again does not change it.
"""
