"""Online rules: evaluators that judge incoming runs, and past runs on request.

A work item (``Work``) is a stored task: one rule has to judge one version of a run. In: rules and
the change feed. Out: work items and scores. Start at ``service.py``, which stores rules; then
``follower.py`` creates work items from the feed, and ``worker.py`` judges them.
"""
