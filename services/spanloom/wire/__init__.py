"""Protobuf on the wire, shared by the collector and the store.

In: numbers, or encoded requests. Out: varints, or the view of ``proto/spanloom/receive.proto``,
whose generated class is ``receive_pb2.py``. Start at ``receive.proto``.
"""
