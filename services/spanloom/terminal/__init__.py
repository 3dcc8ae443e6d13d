"""Drawing for the terminal: trees, tables and values; asks nobody, prints nothing itself."""
