"""Reproduces the results of ``agentevals`` 0.0.9 and ``openevals`` 0.2.2, bugs included.

In: the messages of a run and of a reference. Out: a boolean, or ``RaisesError`` if the library
raises an exception. The code was written from the libraries' observed results;
``tests/integration/test_match_as_libraries.py`` compares it with the installed libraries. Start
with ``judge.py``.
"""
