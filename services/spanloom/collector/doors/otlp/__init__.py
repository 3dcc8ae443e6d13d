"""OTLP over gRPC and HTTP: traces, and logs with GenAI content; metrics are counted and dropped.

Input: protobuf or JSON. Output: protobuf for ``intake``, and OTLP responses with partial success.
Start at ``door.py`` (HTTP, and the handlers for each signal), then ``grpc.py``.
"""
