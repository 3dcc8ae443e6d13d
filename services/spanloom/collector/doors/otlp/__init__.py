"""OTLP over gRPC and HTTP: traces, logs with GenAI content; metrics are counted and dropped.

In: protobuf or JSON. Out: protobuf for ``intake`` and OTLP responses with partial success.
Start at ``door.py`` (what each signal does, and HTTP), then ``grpc.py``.
"""
