"""The change feed as a table, and the clocks by which it is complete."""
