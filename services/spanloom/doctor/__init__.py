"""``spanloom doctor``: checks of a data directory, a running service or a ClickHouse server.

In: ``Facts``, read by ``gather`` without changing anything. Out: a ``Finding`` for each check.
Start at ``check.py``; ``checks`` has the checks, ``facts.py`` their inputs.
"""
