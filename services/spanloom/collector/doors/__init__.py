"""The endpoints ("doors") of the collector, a module or package per protocol.

Input: requests over HTTP or gRPC. Output: protobuf requests for ``intake``, and responses in the
sender's own format. Start at ``door.py`` (one HTTP path), ``http.py`` and ``otlp/grpc.py``.
"""
