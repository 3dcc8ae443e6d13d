"""The collector: accepts export requests and holds them on disk until they are stored.

Input: OTLP, Coze Loop and Langfuse requests over gRPC and HTTP. Output: spans in the store, in
batches. Start at ``doors`` (endpoints), then ``intake`` (checks, redaction), then ``spool`` (queue,
writer).
"""
