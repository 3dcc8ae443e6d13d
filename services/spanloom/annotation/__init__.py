"""Annotating over the ports of a store: what is asked, said, withheld, agreed on and queued.

The rules are in ``core/annotation``; here they meet what is stored. Whoever serves them, the API,
calls these from a thread: every method may block.
"""
