"""The public records: classes whose fields are declared once, for store, API, client and page.

Input: a subclass of ``record.Record`` whose fields declare how they appear in the store, in a
``where`` and in lists (``declared.py``), and how they are computed. Derived from it: the columns in
the store, the model for API and client, the fields of ``where``, completion, and the types of the
page. Start with ``hit.Hit``, then ``run.Run``; ``every.py`` lists all records.
"""
