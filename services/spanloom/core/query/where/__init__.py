"""The ``where`` language: which runs, or which steps, a query selects, in one line of text.

In: a text, such as ``has_error and has(tool = "search" then tool = "refund")``: runs in which
something failed for good, and ``refund`` was called some time after ``search``. Out: a tree
(``tree``) whose fields exist and whose values have the types of their fields. Start with
``parser.parse_where``; the grammar is ``GRAMMAR``, and a test checks the parser against it.
"""
