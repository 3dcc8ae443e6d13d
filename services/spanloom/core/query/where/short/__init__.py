"""Short forms, as people type them into a search box: in, one line; out, its ``where``.

``type:tool name:search tokens>10k -is:annotated`` →
``has(type = tool and name = "search") and tokens > 10000 and not annotated``. A line that is
a ``where`` already keeps its meaning. Start with ``spelling.spell``.
"""
