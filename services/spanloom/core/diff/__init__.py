"""What differs between two runs: their steps side by side, agent by agent.

``diff_documents`` takes two canonical documents. Steps of the same agents are laid side by side
(``align``), each pair is compared (``changes``), and what stands on one side only is added, removed
or, if the other side has it elsewhere, moved. Steps that ran at the same time have no order.
"""
