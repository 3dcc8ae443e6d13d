"""Checks requests between endpoint and spool: limits, validation, redaction, project.

Input: decompressed OTLP protobuf and the project of the API key. Output: a record in the spool, and
the counts for a partial success. Start at ``export.py`` (``Exporter``), then ``validate.py``.
"""
