"""Converts the inputs and outputs of steps, from any dialect, to one form.

Input: texts as the spans have them. Output: messages of a model call (``core/model/message.py``),
arguments and result of a tool, request and answer of an agent. Start with ``steps.py``;
``envelopes.py`` finds the messages, ``message.py`` converts a message, ``parts.py`` its content.
Unknown forms are left unchanged. Converting a converted text again does not change it.
"""
