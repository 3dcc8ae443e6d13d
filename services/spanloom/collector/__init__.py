"""The collector: accepts export requests and holds them on disk until they are stored.

Input: requests of OTLP, Coze Loop, Invariant and Langfuse over HTTP, and of OTLP over gRPC. Output:
spans in the store, in batches. Start at ``doors`` (endpoints), then ``intake`` (checks, redaction),
then ``spool`` (queue, writer).
"""
