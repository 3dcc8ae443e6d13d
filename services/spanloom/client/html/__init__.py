r"""What notebooks show: HTML without scripts, links, pictures or anything else from elsewhere.

Whatever was recorded is data: it is escaped, and control characters and marks that turn the
direction of writing come out as ``\x1b`` and the like.
"""
