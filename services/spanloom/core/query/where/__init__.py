"""The ``where`` language, in which one line of text selects runs or steps.

Input: a text, such as ``has_error and has(tool = "search" then tool = "refund")``, which selects
runs with a failure from which they did not recover, and with a call of ``refund`` some time after
``search``. Output: a tree (``tree.py``) whose fields exist and whose values have the types of their
fields. Start with ``parser.parse_where``; ``GRAMMAR`` has the grammar, and a test checks the parser
against it.
"""
