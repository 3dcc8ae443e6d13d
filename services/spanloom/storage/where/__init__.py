"""Compiles a ``where`` to SQL over ``trajectory_list``: the one place in which it becomes SQL.

``compile_where`` gives a condition whose text comes from the kinds of its parts and from the
columns of its fields alone; every literal is a parameter. The projects that may be seen are no
part of it: the query that takes it names them itself.
"""
