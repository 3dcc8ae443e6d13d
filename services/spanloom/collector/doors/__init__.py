"""The endpoints ("doors") of the collector, a module or package per protocol.

In: requests over HTTP or gRPC. Out: protobuf requests for ``intake``, and answers in the
sender's own format. Start at ``door.py`` (one HTTP path), ``http.py`` and ``otlp/grpc.py``.
"""
