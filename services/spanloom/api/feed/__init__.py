"""The change feed as it is handed to many readers at once."""
