"""Reproduces the answers of ``agentevals`` 0.0.9 and ``openevals`` 0.2.2, bugs included.

In: the messages of a run and of a reference. Out: the boolean, or ``RaisesError`` where the library
raises. Written from observed answers; ``tests/integration/test_match_as_libraries.py`` compares
both with the installed libraries. Start with ``judge.py``.
"""
