"""What can be asked: functions that return a request and how its reply is read.

A new endpoint is a function here, a line in ``Client`` and the same line in ``AsyncClient``.
"""
