"""The Model Context Protocol server: read-only tools with which agents read stored runs.

In: tool calls over stdio or ``POST /mcp``, with the caller's API key.
Out: JSON as text, marked as recorded data, cleaned and cut to size; refusals as tool errors.
Start with ``tools`` (what each tool does), then ``server`` (how they are served).
"""
