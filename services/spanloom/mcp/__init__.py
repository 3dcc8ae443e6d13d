"""Agents ask too: what is stored, over the Model Context Protocol, by tools that only read."""
