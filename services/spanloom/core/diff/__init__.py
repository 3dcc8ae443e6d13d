"""The diff of two runs: their steps aligned and compared, agent by agent.

Input: two canonical documents (``diff_documents``).
Output: a row for each step: same, changed, added, removed, or moved if the other run has it
elsewhere; ``shown.py`` writes it as JSON. Steps that ran at the same time have no order.
Start with ``diff.py``; it compares pairs, which ``align.py`` finds among the steps of two agents.
"""
