"""The answers of ``agentevals`` 0.0.9 and ``openevals`` 0.2.2, faults included.

In: the messages of a run and of a reference. Out: their boolean, or ``RaisesError`` where the
library raises. Written from what they answer; ``tests/contract/test_match_as_libraries.py``
compares both with the installed libraries. Start with ``judge.py``.
"""
