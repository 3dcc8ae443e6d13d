r"""HTML for notebooks, without scripts, links, pictures or other external content.

In: runs of a list, or the document of a trajectory. Out: one piece of HTML, limited in size.
Recorded text is escaped, and control characters and marks that change the direction of writing
come out as ``\x1b`` and the like. Start with ``runs.runs_html`` and ``tree.tree_html``.
"""
