"""Writes, reads and compares annotations in a store, by the rules in ``core/annotation``.

In: schemes, writes, queues and imports from the API. Out: annotations with states, scores, queue
items, agreement, exports. Methods may block. Start at ``services.py`` (all services), then
``writing.py``.
"""
