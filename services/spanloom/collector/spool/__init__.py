"""The spool: accepted requests on disk until they are stored.

In: validated requests, fsynced in groups. Out: batches to the store; refused ones become dead
letters. Start at ``spool.py`` (the queue), then ``writer.py`` and ``sift.py`` (bad batches).
"""
