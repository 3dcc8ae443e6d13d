"""The ``where`` language: which runs, or which steps, a query selects, in one line of text.

``has_error and has(tool = "search" then tool = "refund")``: runs in which something failed for
good, and ``refund`` was called some time after ``search``. ``parser`` turns the text into a tree
(``tree``) whose fields exist and whose values have the types of their fields; code that reads the
tree does not need the text. The grammar is ``GRAMMAR``; a test checks the parser against it. Start
with ``parser.parse_where``.
"""
