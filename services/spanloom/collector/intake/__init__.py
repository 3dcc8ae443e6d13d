"""The checks between an endpoint and the spool: limits, validation, redaction, project.

Input: decompressed OTLP protobuf and the project of the API key. Output: a record in the spool and
an outcome (partial success). Start at ``export.py`` (``Exporter``), then ``validate.py``.
"""
