"""The keeper's work on a store: schema, retention, and removal of deleted rows.

In come retention plans and times, out come counts of changed rows. Start with
``store.open_upkeep``.
"""
