"""Endpoints for Invariant's SDK (``/api/v1/push/trace`` …).

Input: lists of messages as JSON. Output: OTLP protobuf, a span for each run and for each message
(``core/conventions/invariant.py``), and responses in the format of Invariant Explorer. Start at
``door.py``, then ``requests.py`` and ``spans.py``.
"""
