"""Short forms, as people type them into a box: in, one line; out, the ``where`` that was meant.

``type:tool name:search tokens>10k -is:annotated`` →
``has(type = tool and name = "search") and tokens > 10000 and not annotated``. What is in the
language already comes out meaning the same. Start with ``spelling.spell``.
"""
