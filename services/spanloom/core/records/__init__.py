"""The public records, a class each, whose fields are declared once.

In: a subclass of ``record.Record`` whose fields declare how they appear in the store, in a
``where`` and in lists (``declared``), and what they are made of. Out: the columns of the store, the
model of API and client, fields of ``where``, completion, and the types of the page, all derived
from it. Start with ``hit.Hit``, then ``run.Run``; ``every`` lists them all.
"""
