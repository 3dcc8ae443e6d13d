"""The diff of two runs: their steps aligned and compared, agent by agent.

In: two canonical documents (``diff_documents``).
Out: a row per step: same, changed, added, removed, or moved if the other run has it elsewhere; as
JSON by ``shown``. Steps that ran at the same time have no order.
Start with ``diff``; it compares pairs, which ``align`` finds among the steps of two agents.
"""
