"""The keeper: the only package that changes the schema, sets retention and deletes rows.

In: the retention file and options, and requested deletions. Out: a store without expired rows.
Start at ``keeper.py``.
"""
