"""The keeper's work on a store: schema, retention, and removal of deleted rows.

Input: retention plans and times. Output: counts of changed rows. Start with ``store.open_upkeep``.
"""
