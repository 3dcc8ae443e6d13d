"""The collector: accepts export requests and holds them on disk until they are stored.

In: OTLP, Coze Loop and Langfuse requests over gRPC and HTTP. Out: spans in the store, in batches.
Start at ``doors`` (endpoints), then ``intake`` (checks, redaction), then ``spool`` (queue, writer).
"""
