"""Saved views of the page: creates, renames, replaces and deletes them, and sets defaults."""
