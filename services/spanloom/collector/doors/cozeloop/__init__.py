"""The ingestion API of the Coze Loop SDKs.

In: ``POST /v1/loop/traces/ingest`` with JSON spans. Out: OTLP protobuf and Coze Loop's answers.
Start at ``door.py``.
"""
