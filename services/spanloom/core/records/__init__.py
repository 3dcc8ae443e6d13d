"""The public records, one class for each, whose fields are declared once.

Input: a subclass of ``record.Record`` whose fields declare how they appear in the store, in a
``where`` and in lists (``declared``), and how they are computed. Output, all derived from it: the
columns of the store, the model of API and client, fields of ``where``, completion, and the types of
the page. Start with ``hit.Hit``, then ``run.Run``; ``every`` lists all records.
"""
