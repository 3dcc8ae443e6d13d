"""The endpoints of the collector, in one module or package per protocol; the code calls them doors.

Input: requests over HTTP or gRPC. Output: protobuf requests for ``intake``, and responses in the
format of the sender's protocol. Start at ``door.py`` (the endpoint of one HTTP path), ``http.py``
and ``otlp/grpc.py``.
"""
