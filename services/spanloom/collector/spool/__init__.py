"""The spool: accepted requests on disk until they are stored.

Input: validated requests, fsynced in groups. Output: batches to the store; refused requests become
dead letters. Start at ``spool.py`` (the queue), then ``writer.py`` and ``sift.py`` (bad batches).
"""
