"""Attribute values in any form that SDKs write them: JSON, reprs, flattened keys.

Comes in: raw values of spans. Goes out: plain Python, parsed within one bound (``bounds``).
``attributes`` is the one place that parses JSON; start there.
"""
