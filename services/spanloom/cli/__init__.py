"""The terminal: one file per command, with ``group`` as the table of them."""
