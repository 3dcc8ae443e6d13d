"""Online rules: evaluators that judge runs as they come in, and runs of the past on request.

In: rules that somebody put, and the change feed. Out: scores, and work in the store that says how
far each rule is with each run. Start at ``keeping.py`` (rules), ``taker.py`` (from the feed to
work) and ``worker.py`` (from work to scores).
"""
