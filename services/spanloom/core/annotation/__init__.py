"""Annotation as pure functions: schemes, marks and scores, anchors, agreement, queues, exchange.

No clock, no storage: ``storage/annotations`` keeps rows, ``api/routes`` puts the two together.
"""
