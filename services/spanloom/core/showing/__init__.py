"""Presentation shared by terminal, HTML export, MCP server and API: pure, without colours.

In: canonical documents and single values (texts, durations, sums of money).
Out: printable texts, a tree or a numbered outline of steps, CSV, and HTML files (``html``).
Start with ``values``, then ``steps``.
"""
