"""Online rules: evaluators that judge incoming runs, and past runs on request.

In: rules and the change feed. Out: scores, and work rows in the store with the state of each rule
and run. Start at ``service.py`` (rules), ``follower.py`` (from the feed to work) and ``worker.py``
(from work to scores).
"""
