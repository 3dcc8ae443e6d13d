"""Compiles a ``where`` to SQL over ``trajectory_list``: nothing else does.

In comes a parsed ``where``, out comes a condition. Start with ``compile.compile_where``. The text
of the condition depends only on the kinds of its parts and the columns of its fields; every literal
is a parameter. The visible projects are not part of it: the query that uses it adds them.
"""
