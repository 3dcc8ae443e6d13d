"""Presentation shared by terminal, HTML export, MCP server and API: pure functions, no colours.

Input: canonical documents and single values (texts, durations, amounts of money).
Output: printable texts, a tree or a numbered outline of steps, CSV, and HTML files (``html``).
Start with ``values.py``, then ``steps.py``.
"""
