"""Protobuf on the wire, shared by the collector and the store.

Input: numbers, or encoded requests. Output: varints, or the messages of
``proto/spanloom/receive.proto``, whose generated classes are in ``receive_pb2.py``. Start at
``receive.proto``.
"""
