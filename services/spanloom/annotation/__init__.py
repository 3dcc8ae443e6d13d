"""The annotation services over a store, by the rules of ``core/annotation``; all methods may block.

In: schemes, writes, queues and imports from the API. Out: annotations with states, scores, queue
items, agreement, exports. Start at ``services.py`` (all services), then ``writing.py``.
"""
