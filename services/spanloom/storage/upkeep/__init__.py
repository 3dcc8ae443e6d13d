"""What the keeper does to a store: its schema, what it retains, what is deleted."""
