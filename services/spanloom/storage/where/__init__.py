"""Compiles a ``where`` to SQL over ``trajectory_list``; no other package does.

Input: a parsed ``where``. Output: a condition. Start with ``compile.compile_where``. The text of
the condition depends only on the operators and fields of the ``where``; every literal is a
parameter. The condition does not restrict the visible projects: the query that uses it does.
"""
