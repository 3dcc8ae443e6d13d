"""Terminal output: trees, tables, transcripts and live progress, drawn with rich.

In: API responses and canonical documents as parsed JSON, and a console. Nothing is fetched here.
Out: lines and tables printed to that console, or returned as rich objects.
Start with ``render`` (one run as a tree), ``runs`` (lists) and ``output`` (consoles and streams).
"""
