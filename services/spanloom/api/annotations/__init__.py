"""Routes for annotations: schemes, queues, scores, agreement, import and export.

In: annotations by a named annotator, or a file of annotations. Out: annotations with their states,
queue items, scores, agreement, files. Start at ``trajectory_annotations.py``, then ``answers.py``.
"""
