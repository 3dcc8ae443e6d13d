"""The spool: accepted requests on disk until they are stored.

Input: validated requests, fsynced in groups. Output: batches to the store; requests that the store
refuses become dead letters. Start at ``spool.py`` (the queue), then ``writer.py`` and ``sift.py``
(splitting refused batches).
"""
